package dev.rush.offer;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.testing.Interleavings;
import io.smallrye.config.SmallRyeConfigBuilder;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Marking, forgetting and reading refusals on several threads. */
@Param(name = "id", gen = IntGen.class, conf = "0:1")
public class RefusalCacheLincheckTest {
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).withDefaultValue("rush.view.sold-out", "PT10S")
            .build().getConfigMapping(RushConfig.class);
    private final Refusals refusals = new Refusals();

    private static final class Refusals extends RefusalCache {
        Refusals() {
            super(CONFIG);
        }
    }

    /** Redis answered that nothing is left. */
    @Operation
    public void mark(@Param(name = "id") int id) {
        refusals.mark("sale-" + id, "a", () -> Problem.of(OutcomeCode.SOLD_OUT));
    }

    /** Units were returned. */
    @Operation
    public void forget(@Param(name = "id") int id) {
        refusals.forget("sale-" + id);
    }

    /** Whether it is refused without calling Redis. */
    @Operation
    public boolean isRefused(@Param(name = "id") int id) {
        return refusals.refusal("sale-" + id, "a") != null;
    }

    @Test
    void operationsAreLinearizable() {
        Interleavings.stress(getClass());
    }
}
