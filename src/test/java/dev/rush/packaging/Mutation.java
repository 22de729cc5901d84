package dev.rush.packaging;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.testing.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A mistake that a rule must find: one row of mistakes.txt.
 *
 * @param rule        the rule that the mistake breaks
 * @param set         the set of manifests to change
 * @param target      the object as {@code Kind/name}, or the file
 * @param place       the JSON pointer of a field, or a text in the file; empty: the whole target
 * @param replacement the new value or text
 */
record Mutation(String rule, String set, String target, String place, String replacement) {

    private static final Path TABLE = Path.of("src/test/resources/packaging/mistakes.txt");
    private static final String GONE = "(gone)";
    private static final String NEW = "(new)";
    private static final String TO_LIST = "+ ";

    static List<Mutation> all() {
        return Sources.text(TABLE).lines().filter(line -> !line.startsWith("#")).map(line -> {
            List<String> row = Stream.of(line.split("[|]", -1)).map(String::strip).toList();
            return new Mutation(row.get(0), row.get(1).isEmpty() ? "prod" : row.get(1), row.get(2),
                    row.get(3).replaceFirst("^MAIN", "POD/containers/0")
                            .replaceFirst("^POD", "/spec/template/spec"), row.get(4));
        }).toList();
    }

    /** Whether Monokle must find it, which checks all sets in one run. */
    boolean ofMonokle() {
        return rule.matches("[A-Z]+\\d+");
    }

    /** Whether it changes a file rather than an object. */
    boolean ofFile() {
        return !target.equals(NEW) && !target.matches("[A-Z]\\w+/.*");
    }

    /** Returns a copy of the set with the mistake in it. */
    Packaging apply() {
        Packaging valid = Kustomize.render(set);
        if (ofFile()) {
            return new Packaging(set, valid.objects(), edited(valid));
        }
        List<JsonNode> objects = new ArrayList<>(valid.objects());
        if (target.equals(NEW)) {
            objects.add(value(replacement));
        } else {
            // Generated names end in a hash, which a row omits.
            JsonNode original = objects.stream()
                    .filter(node -> Packaging.id(node).matches(target + "(-[a-z0-9]{10})?"))
                    .findFirst().orElseThrow(() -> new AssertionError("there is no " + target));
            objects.remove(original);
            if (!place.isEmpty()) {
                objects.add(changed(original.deepCopy()));
            }
        }
        return new Packaging(set, objects, valid.files());
    }

    private Map<String, String> edited(Packaging valid) {
        Map<String, String> files = new TreeMap<>(valid.files());
        String from = place.translateEscapes();
        String to = replacement.translateEscapes();
        if (!from.isEmpty() && !valid.file(target).contains(from)) {
            throw new AssertionError(target + " has no " + from);
        }
        files.put(target, from.isEmpty() ? to : valid.file(target).replace(from, to));
        return files;
    }

    private JsonNode changed(ObjectNode node) {
        JsonPointer pointer = JsonPointer.compile(place);
        String field = pointer.last().getMatchingProperty();
        if (replacement.startsWith(TO_LIST)) {
            ((ArrayNode) node.at(pointer)).add(value(replacement.substring(TO_LIST.length())));
        } else if (!replacement.equals(GONE)) {
            node.withObject(pointer.head()).set(field, value(replacement));
        } else if (node.at(pointer.head()) instanceof ArrayNode list) {
            list.remove(pointer.last().getMatchingIndex());
        } else {
            node.withObject(pointer.head()).remove(field);
        }
        return node;
    }

    private static JsonNode value(String json) {
        return Kustomize.parse(json).get(0);
    }
}
