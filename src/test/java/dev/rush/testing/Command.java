package dev.rush.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The exit status and output (stdout and stderr) of a program that has ended. */
public record Command(int status, String output) {

    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(5));

    /** Whether a program is on PATH. */
    public static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Runs a program that must succeed in time. */
    public static Command run(String... words) {
        Command ended = attempt(Map.of(), words);
        if (ended.status != 0) {
            throw new AssertionError(String.join(" ", words) + " failed:\n" + ended.output);
        }
        return ended;
    }

    /** Runs a program, which may fail, but must end in time. */
    public static Command attempt(Map<String, String> environment, String... words) {
        try {
            Path output = Files.createTempFile("command", ".out");
            ProcessBuilder builder = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", words) + " did not end");
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            Files.delete(output);
            return new Command(process.exitValue(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
