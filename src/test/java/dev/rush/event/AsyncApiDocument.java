package dev.rush.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.rush.http.OpenApiDocument;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The committed AsyncAPI document, whose schemas are JSON Schema. */
final class AsyncApiDocument {
    static final Path FILE = Path.of("docs", "reference", "asyncapi.yaml");
    private static final JsonSchemaFactory FACTORY =
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    final JsonNode root = OpenApiDocument.yaml(Sources.text(FILE));
    final JsonNode schemas = root.path("components").path("schemas");

    /** The types of events that the schema of any event allows. */
    Set<String> types() {
        Set<String> types = new TreeSet<>();
        schemas.path("Event").path("oneOf").forEach(type -> types.add(name(type)));
        return types;
    }

    /** The last name in a reference within the document. */
    static String name(JsonNode reference) {
        String path = reference.path("$ref").asText();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The violations of the schema at a JSON pointer into the document by a value. */
    Set<String> violations(String pointer, JsonNode value) {
        ObjectNode schema = root.at(pointer).deepCopy();
        schema.set("components", root.path("components"));
        return FACTORY.getSchema(schema).validate(value).stream().map(Object::toString)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
