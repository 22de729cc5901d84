package dev.rush.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a JVM that watches a process, and checks that the process ends, too. */
class ParentWatchdogTest {
    @Test
    void watchedProcessEndsWithAKilledJvm(@TempDir Path temp) throws Exception {
        Path folder = Files.createDirectory(temp.resolve("data"));
        Process jvm = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), Holder.class.getName(),
                folder.toString()).start();
        long pid;
        try (var output = jvm.inputReader()) {
            pid = Long.parseLong(output.readLine());
        }
        ProcessHandle watched = ProcessHandle.of(pid).orElseThrow();
        jvm.destroyForcibly().waitFor();
        watched.onExit().get(60, TimeUnit.SECONDS);
        for (int i = 0; Files.exists(folder) && i < 600; i++) {
            Thread.sleep(100);
        }
        assertThat(Files.exists(folder)).isFalse();
    }

    /** The main class of the JVM that is killed. */
    static final class Holder {
        public static void main(String[] arguments) throws IOException, InterruptedException {
            Process sleep = new ProcessBuilder("sleep", "600").start();
            ParentWatchdog.watch("TERM", sleep.pid(), Path.of(arguments[0]));
            System.out.println(sleep.pid());
            sleep.waitFor();
        }
    }
}
