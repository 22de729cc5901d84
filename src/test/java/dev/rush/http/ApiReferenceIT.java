package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.http.Example.Reply;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.FirstEpoch;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * X3: the calls in docs/reference/api.md and in the guides get the answers shown there, which
 * conform to openapi.yaml.
 */
class ApiReferenceIT {
    private static final String REFERENCE = text("reference/api.md");
    private static final List<String> GUIDES =
            List.of(text("guides/integrate-a-shop.md"), text("guides/run-a-rain.md"));
    private static final OpenApiDocument DOCUMENT = new OpenApiDocument();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** The order of the latest purchase, which the documents call {@code $order}. */
    private String order = "";

    @Test
    @DisplayName("Every operation has an example, and every request an answer")
    void everyOperationIsShown() {
        Set<String> shown = new TreeSet<>();
        examples(REFERENCE).forEach(example -> shown.add(operation(example)));
        assertThat(shown).isEqualTo(DOCUMENT.operations());
    }

    private static String text(String document) {
        return Sources.text(Path.of("docs", document));
    }

    private static List<Example> examples(String text) {
        List<Example> examples = Example.of(text);
        assertThat(examples).as("each request has an answer")
                .hasSize(text.split("```sh\n", -1).length - 1);
        return examples;
    }

    @Test
    @DisplayName("Every request gets the answer shown below it")
    void examplesAreTrue() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")),
                "there is no /usr/bin/curl: the examples of documents are not run");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Environment environment = Environments.on("reference", redis);
            try (Pod pod = Environments.startPod("reference", environment, Map.of(
                    "rush.orders.sink", "postgres", "rush.writer.retry", "PT0.05S"))) {
                addInvalidEntry(environment);
                FirstEpoch.age(environment.ledgerUrl());
                examples(REFERENCE).forEach(example -> run(example, pod));
                GUIDES.forEach(guide -> examples(guide).forEach(example -> run(example, pod)));
            }
        }
    }

    /** Makes a dead letter. */
    private static void addInvalidEntry(Environment environment) {
        String stream = new Partitions(64).of("pear-day").key("orders");
        try (Resp resp = environment.resp(stream)) {
            resp.command("XADD", stream, "*", "kind", "nonsense");
        }
    }

    /** Repeats a request until the effects of the ones before it are visible. */
    private void run(Example example, Pod pod) {
        List<String> printed = new ArrayList<>(List.of(""));
        Await.until(example.command() + "is answered\n" + example.answer(), LIMIT, () -> {
            printed.set(0, shell(example.command().replace("localhost:8080",
                    pod.baseUri().getAuthority())));
            return example.fits(printed.get(0), OpenApiDocument::read);
        }, () -> "but by\n" + printed.get(0) + pod.log());
        if (example.isHttp()) {
            check(example, Reply.of(printed.get(0)));
        }
    }

    private void check(Example example, Reply reply) {
        Set<String> mistakes = DOCUMENT.mistakes(operation(example), reply.code(),
                reply.headers().getOrDefault("content-type", ""), reply.body());
        assertThat(mistakes).as("%s by openapi.yaml:\n%s", example.command(), reply).isEmpty();
        if (example.path().endsWith("/purchases") && reply.code() == 201) {
            order = OpenApiDocument.read(reply.body()).path("order").asText();
        }
    }

    private static String operation(Example example) {
        return DOCUMENT.operation(example.method(), example.path());
    }

    private String shell(String command) {
        try {
            ProcessBuilder builder = new ProcessBuilder("bash", "-c", command);
            builder.environment().put("order", order);
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            Process process = builder.start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
