package dev.rush.http;

import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Committed;
import dev.rush.testing.Endpoints;
import dev.rush.testing.Environments;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** X3: the OpenAPI document, the implementation and the contract agree. */
class OpenApiIT {
    /** The calls of the contract. */
    private static final Set<String> CONTRACT = Set.of(
            "PUT /v1/sales/{sale}", "GET /v1/sales/{sale}", "GET /v1/sales",
            "PATCH /v1/sales/{sale}", "PATCH /v1/sales/{sale}/items/{sku}",
            "POST /v1/sales/{sale}/pause",
            "POST /v1/sales/{sale}/resume", "POST /v1/sales/{sale}/close",
            "POST /v1/sales/{sale}/purchases", "GET /v1/sales/{sale}/orders/{order}",
            "GET /v1/sales/{sale}/orders", "POST /v1/sales/{sale}/orders/{order}/confirm",
            "POST /v1/sales/{sale}/returns", "GET /v1/sales/{sale}/returns",
            "GET /v1/sales/{sale}/books", "POST /v1/sales/{sale}/books/repair",
            "GET /v1/sales/{sale}/events", "PUT /v1/rains/{rain}", "GET /v1/rains/{rain}",
            "GET /v1/rains", "POST /v1/rains/{rain}/grabs", "GET /v1/rains/{rain}/grabs",
            "GET /v1/rains/{rain}/leaderboard", "POST /v1/rains/{rain}/close",
            "GET /v1/rains/{rain}/books", "GET /v1/rains/{rain}/events",
            "PUT /v1/blocklist/{user}", "DELETE /v1/blocklist/{user}", "GET /v1/blocklist/{user}",
            "GET /v1/blocklist", "GET /v1/audit", "GET /v1/dead-letters",
            "POST /v1/dead-letters/{id}/replay",
            "GET /problems/{code}");
    private static JsonNode document;

    @BeforeAll
    static void read() {
        Answer answer = Environments.single().api().get("/q/openapi?format=json");
        assertThat(answer.status()).isEqualTo(200);
        document = answer.body();
    }

    @Test
    @DisplayName("The document is OpenAPI 3.1 and names the service")
    void documentIsOpenApi31() {
        assertThat(document.path("openapi").asText()).startsWith("3.1");
        assertThat(document.path("info").path("title").asText()).isEqualTo("Rush");
        assertThat(document.path("info").path("license").path("name").asText())
                .isEqualTo("Apache 2.0");
    }

    @Test
    @DisplayName("The document is YAML unless JSON is requested, and both are equal")
    void documentIsYamlToo() {
        Answer answer = Environments.single().api().get("/q/openapi");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(OpenApiDocument.yaml(answer.body().asText())).isEqualTo(document);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            /q/openapi,             ,                            application/yaml;charset=utf-8
            /q/openapi,             application/json,            application/json
            /q/openapi,             'text/*, application/json',  application/json
            /q/openapi,             application/yaml,            application/yaml;charset=utf-8
            /q/openapi?format=JSON, application/yaml,            application/json
            /q/openapi?format=yaml, application/json,            application/yaml;charset=utf-8
            /q/openapi.json,        ,                            application/json
            /q/openapi.yaml,        ,                            application/yaml;charset=utf-8
            /q/openapi.yml,         ,                            application/yaml;charset=utf-8
            """)
    @DisplayName("The suffix, the format parameter or the Accept header selects JSON or YAML")
    void formatIsNegotiated(String path, String accept, String type) {
        Api any = Environments.single().api();
        Api api = accept == null ? any : any.with("Accept", accept);
        Answer answer = api.get(path);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo(type);
        assertThat(api.with("If-None-Match", answer.header("ETag")).get(path).status())
                .isEqualTo(304);
    }

    @Test
    @DisplayName("The document in docs/reference is the one that the service serves")
    void documentIsCommitted() {
        String served = Environments.single().api().get("/q/openapi").body().asText();
        // The order of fields differs from build to build.
        if (!OpenApiDocument.yaml(Sources.text(OpenApiDocument.FILE)).equals(document)) {
            Committed.assertSame(OpenApiDocument.FILE, served);
        }
    }

    @Test
    @DisplayName("Every outcome code of a problem has a page that may be cached and runs no script")
    void everyCodeHasAPage() {
        for (String code : OutcomeCode.problems()) {
            Answer answer = Environments.single().api().get("/problems/" + code);
            assertThat(answer.status()).as(code).isEqualTo(200);
            assertThat(answer.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(answer.header("Cache-Control")).isEqualTo("public, max-age=86400");
            assertThat(answer.header("Content-Security-Policy")).isEqualTo("default-src 'none'");
            assertThat(answer.body().asText()).contains("<h1>" + code + "</h1>", "Remedy");
        }
        refused(Environments.single().api().get("/problems/accepted"), "not-found");
    }

    @Test
    @DisplayName("Every call of the implementation is in the document, and no other")
    void documentAndImplementationAgree() {
        assertThat(documented()).isEqualTo(implemented());
    }

    @Test
    @DisplayName("Every call of the contract is in the document")
    void documentHasTheContract() {
        assertThat(documented()).containsAll(CONTRACT);
    }

    @Test
    @DisplayName("Every operation has a summary, answers, and problems as problems")
    void operationsAreDescribed() {
        for (String call : documented()) {
            JsonNode operation = operation(call);
            assertThat(operation.path("summary").asText()).as("summary of %s", call).isNotBlank();
            assertThat(operation.path("responses").size()).as("answers of %s", call)
                    .isGreaterThan(1);
            String problem = operation.path("responses").path("default").path("$ref").asText();
            assertThat(document.at(problem.substring(1)).path("content")
                    .has("application/problem+json")).as("problems of %s", call).isTrue();
        }
        assertThat(document.at("/components/schemas/Problem/required").toString())
                .contains("type", "title", "status", "detail");
    }

    @Test
    @DisplayName("No documented operation is answered 404 not-found or 405")
    void documentedOperationsExist() {
        Api operator = Environments.single().api().asOperator();
        TreeMap<String, String> wrong = new TreeMap<>();
        for (String call : documented()) {
            String[] words = call.split(" ");
            String path = words[1].replace("{code}", "sold-out").replaceAll("\\{\\w+}", "x");
            operator.put("/v1/blocklist/x", "{}"); // An earlier call may have removed it.
            Answer answer = operator.call(words[0], path, words[0].equals("GET") ? null : "{}");
            if (answer.word().equals("not-found") || answer.status() == 405
                    || answer.status() == 500) {
                wrong.put(call, answer.toString());
            }
        }
        operator.delete("/v1/blocklist/x");
        assertThat(wrong).isEmpty();
    }

    private static Set<String> documented() {
        Set<String> calls = new TreeSet<>();
        document.path("paths").fields().forEachRemaining(path ->
                path.getValue().fieldNames().forEachRemaining(method ->
                        calls.add(method.toUpperCase() + " " + path.getKey())));
        return calls;
    }

    private static JsonNode operation(String call) {
        String[] words = call.split(" ");
        return document.path("paths").path(words[1]).path(words[0].toLowerCase());
    }

    /** The calls that the resources' annotations declare. */
    private static Set<String> implemented() {
        Map<String, String> texts = Sources.files("src/main/java", ".java").stream()
                .collect(Collectors.toMap(Path::toString, Sources::text));
        return Sources.trees(texts).values().stream().map(Endpoints::of).flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
