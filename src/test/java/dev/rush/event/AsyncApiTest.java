package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.http.OpenApiDocument;
import dev.rush.testing.Sources;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/reference/asyncapi.yaml agrees with EventTypes and openapi.yaml. */
class AsyncApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final AsyncApiDocument DOCUMENT = new AsyncApiDocument();

    @Test
    @DisplayName("E3: the document has exactly the known event types")
    void hasEveryType() {
        assertThat(DOCUMENT.types()).containsExactlyInAnyOrderElementsOf(EventTypes.known());
        Set<String> described = new TreeSet<>();
        DOCUMENT.schemas.fieldNames().forEachRemaining(described::add);
        described.removeIf(name -> !name.startsWith("dev."));
        assertThat(described).isEqualTo(DOCUMENT.types());
        DOCUMENT.types().forEach(type -> assertThat(DOCUMENT.schemas
                .at("/" + type + "/allOf/1/properties/type/const").asText()).isEqualTo(type));
    }

    @Test
    @DisplayName("E3: schemas of events, orders, grabs and views equal those of openapi.yaml")
    void sharesSchemas() {
        JsonNode calls = OpenApiDocument.yaml(Sources.text(OpenApiDocument.FILE))
                .path("components").path("schemas");
        Set<String> shared = new TreeSet<>();
        DOCUMENT.schemas.properties().forEach(schema -> {
            if (calls.has(schema.getKey())) {
                shared.add(schema.getKey());
                assertThat(schema.getValue()).as(schema.getKey())
                        .isEqualTo(calls.path(schema.getKey()));
            }
        });
        assertThat(shared).contains("CloudEvent", "Order", "Grab", "Sale", "Rain");
        for (String type : DOCUMENT.types()) {
            String data = AsyncApiDocument.name(
                    DOCUMENT.schemas.at("/" + type + "/allOf/1/properties/data"));
            assertThat(DOCUMENT.schemas.has(data)).as(type).isTrue();
            assertThat(data.equals(type.contains(".order.") ? "Order"
                    : type.contains(".grab.") ? "Grab" : data)).as(type).isTrue();
        }
    }

    @Test
    @DisplayName("E3: the schemas refuse an event of an unknown type, or with other data")
    void refuses() throws Exception {
        ObjectNode event = (ObjectNode) JSON.readTree("""
                {"specversion": "1.0", "id": "x.closed", "source": "/v1/sales/s",
                 "type": "dev.rush.sale.closed", "time": "2026-11-20T12:00:00Z", "subject": "s",
                 "datacontenttype": "application/json", "data": {"sale": "s", "after": 5}}""");
        assertThat(violations(event)).isEmpty();
        assertThat(violations(event.deepCopy().put("type", "dev.rush.sale.burnt"))).isNotEmpty();
        assertThat(violations(event.deepCopy().put("type", "dev.rush.order.paid"))).isNotEmpty();
        ObjectNode other = event.deepCopy();
        other.putObject("data").put("rain", "r").put("after", 5);
        assertThat(violations(other)).isNotEmpty();
        ObjectNode without = event.deepCopy();
        without.remove("subject");
        assertThat(violations(without)).isNotEmpty();
    }

    private static Set<String> violations(JsonNode event) {
        return DOCUMENT.violations("/components/schemas/Event", event);
    }
}
