package dev.rush.offer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** The fields in which two definitions under one id differ. */
public final class Differences {

    private Differences() {
    }

    /**
     * The problem when an id is taken by another definition.
     *
     * @param code      {@code sale-exists} or {@code rain-exists}
     * @param known     the existing definition, as JSON
     * @param requested the requested definition
     * @param request   maps a field of a definition to the field of the request
     */
    public static Problem problem(OutcomeCode code, Json json, String known, String requested,
            UnaryOperator<String> request) {
        List<String> differs = between(json, known, requested, request);
        return Problem.of(code, code.title() + ", with other " + String.join(", ", differs) + ".",
                Map.of("differs", differs));
    }

    private static List<String> between(
            Json json, String known, String requested, UnaryOperator<String> request) {
        JsonNode one = read(json, known);
        JsonNode other = read(json, requested);
        TreeSet<String> differs = new TreeSet<>();
        for (JsonNode each : List.of(one, other)) {
            each.fieldNames().forEachRemaining(field -> {
                if (!one.path(field).equals(other.path(field))) {
                    differs.add(request.apply(field));
                }
            });
        }
        if (differs.isEmpty()) {
            // Otherwise two rains differ only by the seed of a split.
            differs.add("envelopes");
        }
        return List.copyOf(differs);
    }

    private static JsonNode read(Json json, String definition) {
        return json.read(definition.getBytes(StandardCharsets.UTF_8), JsonNode.class);
    }
}
