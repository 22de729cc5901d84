package dev.rush.packaging;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * One mistake that a rule must find, a row of mistakes.txt.
 *
 * @param rule    the rule that the mistake breaks
 * @param set     the set of manifests that it is made in
 * @param where   the object as {@code Kind/name}, or the file
 * @param what    the field's path, or the text
 * @param becomes what stands there instead
 */
record Mutation(String rule, String set, String where, String what, String becomes) {

    private static final Path TABLE = Path.of("src/test/resources/packaging/mistakes.txt");
    private static final ObjectMapper JSON = new ObjectMapper();
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

    /** Whether it breaks a rule of others' making, which all sets are held to at once. */
    boolean ofMonokle() {
        return rule.matches("[A-Z]+\\d+");
    }

    /** Whether it is made in a file, and not in an object. */
    boolean ofFile() {
        return !where.equals(NEW) && !where.matches("[A-Z]\\w+/.*");
    }

    /** Makes the mistake in a copy. */
    Packaging make() {
        Packaging right = Kustomize.render(set);
        if (ofFile()) {
            return new Packaging(set, right.objects(), edited(right));
        }
        List<JsonNode> objects = new ArrayList<>(right.objects());
        if (where.equals(NEW)) {
            objects.add(value(becomes));
        } else {
            // Names made by generators end in a hash, which a row leaves out.
            JsonNode meant = objects.stream()
                    .filter(node -> Packaging.id(node).matches(where + "(-[a-z0-9]{10})?"))
                    .findFirst().orElseThrow(() -> new AssertionError("there is no " + where));
            objects.remove(meant);
            if (!what.isEmpty()) {
                objects.add(changed(meant.deepCopy()));
            }
        }
        return new Packaging(set, objects, right.files());
    }

    private Map<String, String> edited(Packaging right) {
        Map<String, String> files = new TreeMap<>(right.files());
        String from = what.translateEscapes();
        String to = becomes.translateEscapes();
        if (!from.isEmpty() && !right.file(where).contains(from)) {
            throw new AssertionError(where + " has no " + from);
        }
        files.put(where, from.isEmpty() ? to : right.file(where).replace(from, to));
        return files;
    }

    private JsonNode changed(ObjectNode node) {
        JsonPointer pointer = JsonPointer.compile(what);
        String field = pointer.last().getMatchingProperty();
        if (becomes.startsWith(TO_LIST)) {
            ((ArrayNode) node.at(pointer)).add(value(becomes.substring(TO_LIST.length())));
        } else if (!becomes.equals(GONE)) {
            node.withObject(pointer.head()).set(field, value(becomes));
        } else if (node.at(pointer.head()) instanceof ArrayNode list) {
            list.remove(pointer.last().getMatchingIndex());
        } else {
            node.withObject(pointer.head()).remove(field);
        }
        return node;
    }

    private static JsonNode value(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }
}
