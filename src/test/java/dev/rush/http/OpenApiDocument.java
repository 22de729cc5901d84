package dev.rush.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** The committed OpenAPI document, which {@link OpenApiIT} compares with the service's. */
public final class OpenApiDocument {
    public static final Path FILE = Path.of("docs", "reference", "openapi.yaml");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory SCHEMAS =
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    private final JsonNode root = yaml(Sources.text(FILE));

    OpenApiDocument() {
        closeSchemas(root.path("components").path("schemas"));
    }

    /** Parses YAML 1.2, in which a text that looks like an instant is a text. */
    public static JsonNode yaml(String text) {
        Resolver resolver = new Resolver() {
            @Override
            public void addImplicitResolver(Tag tag, Pattern regexp, String first, int limit) {
                if (!tag.equals(Tag.TIMESTAMP)) {
                    super.addImplicitResolver(tag, regexp, first, limit);
                }
            }
        };
        LoaderOptions options = new LoaderOptions();
        DumperOptions dumper = new DumperOptions();
        return JSON.valueToTree(new Yaml(new SafeConstructor(options), new Representer(dumper),
                dumper, options, resolver).<Object>load(text));
    }

    /** All operations, such as {@code GET /v1/sales/{sale}}. */
    Set<String> operations() {
        Set<String> operations = new TreeSet<>();
        root.path("paths").properties().forEach(path -> path.getValue().fieldNames()
                .forEachRemaining(method ->
                        operations.add(method.toUpperCase() + " " + path.getKey())));
        return operations;
    }

    /** The operation of a request; of two that fit, the one with fewer parameters. */
    String operation(String method, String path) {
        return operations().stream().filter(operation -> (method + " " + path).matches(
                operation.replaceAll("\\{\\w+}", "[^/]+")))
                .min(Comparator.comparing(operation ->
                        operation.chars().filter(letter -> letter == '{').count()))
                .orElseThrow(() -> new AssertionError("no operation for " + method + " " + path));
    }

    /** Where an answer violates the schema of its operation, status and type. */
    Set<String> mistakes(String operation, int status, String type, String body) {
        String[] words = operation.split(" ");
        JsonNode response = resolve(root.path("paths").path(words[1])
                .path(words[0].toLowerCase()).path("responses").path(Integer.toString(status)));
        if (response.isMissingNode()) {
            return Set.of(operation + " has no answer " + status);
        }
        JsonNode content = response.path("content");
        if (content.isMissingNode()) {
            return body.isEmpty() ? Set.of() : Set.of(operation + " has no body");
        }
        ObjectNode schema = content.path(type.split(";")[0]).path("schema").deepCopy();
        schema.set("components", root.path("components"));
        JsonSchema validator = SCHEMAS.getSchema(schema);
        return validator.validate(read(body)).stream().map(Object::toString)
                .collect(Collectors.toSet());
    }

    static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (java.io.IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? root.at(node.path("$ref").asText().substring(1)) : node;
    }

    /** Later answers may have fields that the document does not name; today's do not. */
    private static void closeSchemas(JsonNode schemas) {
        for (JsonNode schema : schemas) {
            if (schema.has("properties") && !schema.has("additionalProperties")) {
                ((ObjectNode) schema).put("additionalProperties", false);
            }
        }
    }
}
