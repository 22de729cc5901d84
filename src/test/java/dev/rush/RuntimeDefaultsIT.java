package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine that a pod runs on decides, not the one that built it. */
class RuntimeDefaultsIT {
    /** Linux keeps 15 characters of a thread's name. */
    private static final String EVENT_LOOP = "vert.x-eventloo";

    @ParameterizedTest(name = "{0} processors")
    @ValueSource(ints = {1, 3})
    @DisplayName("A pod has one event loop per processor")
    void podHasOneEventLoopPerProcessor(int processors) throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/task")), "threads are read from /proc");
        try (Pod pod = Environments.startPod("loops-" + processors, Environments.single(),
                Map.of("-XX:ActiveProcessorCount", Integer.toString(processors)));
                Stream<Path> tasks = Files.list(Path.of("/proc/" + pod.pid() + "/task"))) {
            assertThat(tasks.filter(RuntimeDefaultsIT::isEventLoop).count())
                    .isEqualTo(processors);
        }
    }

    private static boolean isEventLoop(Path task) {
        try {
            return Files.readString(task.resolve("comm")).startsWith(EVENT_LOOP);
        } catch (IOException e) {
            return false; // The thread has ended.
        }
    }
}
