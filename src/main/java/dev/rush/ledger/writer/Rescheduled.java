package dev.rush.ledger.writer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.http.Texts;
import dev.rush.http.Times;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sale's new and former title and times, in readable form.
 *
 * @param before null if unknown
 */
record Rescheduled(@Nullable Map<String, Object> before, Map<String, Object> after) {

    private static final List<String> FIELDS = List.of("title", "opensAt", "closesAt");
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    /**
     * Checks the fields of a definition that the audit shows.
     *
     * @throws IllegalArgumentException if it is not JSON, or has no printable title or no integer
     *                                  times
     */
    static void check(String definition) {
        JsonNode fields = read(definition);
        String title = fields.path("title").textValue();
        if (title == null || !Texts.isPrintable(title)
                || !isTime(fields.path("opensAt")) || !isTime(fields.path("closesAt"))) {
            throw new IllegalArgumentException("not a definition: " + definition);
        }
    }

    private static boolean isTime(JsonNode field) {
        return field.isIntegralNumber() && field.canConvertToLong();
    }

    /** The fields that differ; all of them if the earlier definition is unknown. */
    static Rescheduled of(@Nullable String earlier, String definition) {
        JsonNode was = earlier == null ? MAPPER.createObjectNode() : read(earlier);
        JsonNode is = read(definition);
        Map<String, Object> before = new LinkedHashMap<>();
        Map<String, Object> after = new LinkedHashMap<>();
        for (String field : FIELDS) {
            if (!was.path(field).equals(is.path(field))) {
                before.put(field, value(was.path(field)));
                after.put(field, value(is.path(field)));
            }
        }
        return new Rescheduled(earlier == null ? null : before, after);
    }

    private static @Nullable Object value(JsonNode field) {
        return field.isNumber() ? Times.text(field.asLong()) : field.textValue();
    }

    private static JsonNode read(String definition) {
        try {
            return MAPPER.readTree(definition);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
