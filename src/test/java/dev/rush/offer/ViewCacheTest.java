package dev.rush.offer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.RushConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Views whose reader fails. */
class ViewCacheTest {
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).build().getConfigMapping(RushConfig.class);

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
    void failedReadFailsItsCallersAndIsRepeated(Class<? extends Throwable> kind) throws Exception {
        Throwable failure = kind.getConstructor(String.class).newInstance("a defect");
        AtomicInteger reads = new AtomicInteger();
        ViewCache<String> views = new ViewCache<>(CONFIG, id -> {
            if (reads.getAndIncrement() == 0) {
                fail(failure);
            }
            return CompletableFuture.completedFuture("a view");
        });
        assertThatThrownBy(() -> views.fresh("a").get(10, TimeUnit.SECONDS))
                .hasRootCauseMessage("a defect");
        assertThat(views.fresh("a").get(10, TimeUnit.SECONDS)).isEqualTo("a view");
    }

    private static void fail(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }
}
