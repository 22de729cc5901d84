package dev.rush.offer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.RushConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Views whose reader fails. */
class ViewCacheTest {
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).build().getConfigMapping(RushConfig.class);

    @ParameterizedTest
    @MethodSource("failures")
    void failedReadFailsItsCallersAndIsRepeated(Runnable failure) throws Exception {
        AtomicInteger reads = new AtomicInteger();
        ViewCache<String> views = new ViewCache<>(CONFIG, id -> {
            if (reads.getAndIncrement() == 0) {
                failure.run();
            }
            return CompletableFuture.completedFuture("a view");
        });
        assertThatThrownBy(() -> views.fresh("a").get(10, TimeUnit.SECONDS))
                .hasRootCauseMessage("a defect");
        assertThat(views.fresh("a").get(10, TimeUnit.SECONDS)).isEqualTo("a view");
    }

    private static Stream<Runnable> failures() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("a defect");
                },
                () -> {
                    throw new StackOverflowError("a defect");
                });
    }
}
