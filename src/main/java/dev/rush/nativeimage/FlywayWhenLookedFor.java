package dev.rush.nativeimage;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import dev.rush.ledger.Ledger;
import io.quarkus.arc.ActiveResult;
import io.quarkus.flyway.runtime.FlywayRecorder;
import java.util.function.Supplier;

/**
 * In the executable, Quarkus's own Flyway would be made while the service starts, with or without
 * {@code quarkus.flyway.active}, for nobody: {@code Ledger} makes one in the background.
 */
@TargetClass(FlywayRecorder.class)
final class FlywayWhenLookedFor {

    @Substitute
    Supplier<ActiveResult> flywayCheckActiveSupplier(String name) {
        return () -> ActiveResult.inactive("The ledger makes Flyway when it is looked for.");
    }
}
