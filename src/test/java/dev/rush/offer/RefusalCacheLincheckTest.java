package dev.rush.offer;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.testing.Interleavings;
import io.smallrye.config.SmallRyeConfigBuilder;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** What a pod knows to be gone: marking, forgetting and asking on several threads. */
@Param(name = "id", gen = IntGen.class, conf = "0:1")
public class RefusalCacheLincheckTest {
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).withDefaultValue("rush.view.sold-out", "PT10S")
            .build().getConfigMapping(RushConfig.class);
    private final Gone gone = new Gone();

    private static final class Gone extends RefusalCache {
        Gone() {
            super(CONFIG);
        }
    }

    /** Redis said that nothing is left. */
    @Operation
    public void mark(@Param(name = "id") int id) {
        gone.mark("sale-" + id, "a", () -> Problem.of(Word.SOLD_OUT));
    }

    /** Something came back. */
    @Operation
    public void forget(@Param(name = "id") int id) {
        gone.forget("sale-" + id);
    }

    /** Whether it is refused without asking Redis. */
    @Operation
    public boolean isRefused(@Param(name = "id") int id) {
        return gone.refusal("sale-" + id, "a") != null;
    }

    @Test
    void marksAndForgettingTakeEffectOneByOne() {
        Interleavings.stress(getClass());
    }
}
