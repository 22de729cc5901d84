package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.quarkus.arc.ActiveResult;
import io.quarkus.flyway.runtime.FlywayRecorder;
import java.util.function.Supplier;

/**
 * In the executable, Quarkus would create its own Flyway during the start, even without {@code
 * quarkus.flyway.active}. It would be unused, because {@code Ledger} creates one in the background.
 */
@TargetClass(FlywayRecorder.class)
final class FlywayCreatedByLedger {

    @Substitute
    Supplier<ActiveResult> flywayCheckActiveSupplier(String name) {
        return () -> ActiveResult.inactive("Ledger creates Flyway in the background.");
    }
}
