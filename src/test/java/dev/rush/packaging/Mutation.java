package dev.rush.packaging;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One mistake that exactly one rule must find.
 *
 * @param rule   the rule that the mistake breaks
 * @param set    the set of manifests that it is made in
 * @param change what is done to it, in words
 * @param make   makes the mistake in a copy
 */
record Mutation(String rule, String set, String change, UnaryOperator<Packaging> make) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Sets the field of an object, named {@code Kind/name}, to a value; a path ends in a field. */
    static Mutation set(String rule, String object, String path, Object value) {
        return onObject(rule, object, object + path + " = " + value, node -> {
            JsonPointer pointer = JsonPointer.compile(path);
            String field = pointer.last().getMatchingProperty();
            node.withObject(pointer.head()).set(field, JSON.valueToTree(value));
            return node;
        });
    }

    /** Takes a field, or an element of a list, away. */
    static Mutation drop(String rule, String object, String path) {
        return onObject(rule, object, object + path + " is gone", node -> {
            JsonPointer pointer = JsonPointer.compile(path);
            JsonNode parent = node.at(pointer.head());
            if (parent instanceof ArrayNode array) {
                array.remove(pointer.last().getMatchingIndex());
            } else {
                ((ObjectNode) parent).remove(pointer.last().getMatchingProperty());
            }
            return node;
        });
    }

    /** Adds an element to a list. */
    static Mutation add(String rule, String object, String list, Object element) {
        return onObject(rule, object, object + list + " gets " + element, node -> {
            ((ArrayNode) node.at(list)).add(JSON.<JsonNode>valueToTree(element));
            return node;
        });
    }

    /** Brings an object more. */
    static Mutation put(String rule, Map<String, ?> object) {
        JsonNode node = JSON.valueToTree(object);
        return new Mutation(rule, "prod", Packaging.id(node) + " is new", packaging ->
                new Packaging(packaging.name(), Stream.concat(packaging.objects().stream(),
                        Stream.of(node)).toList(), packaging.files()));
    }

    /** Leaves an object out. */
    static Mutation delete(String rule, String object) {
        return onObject(rule, object, object + " is gone", node -> null);
    }

    /** Writes something else into a file. */
    static Mutation edit(String rule, String path, String from, String to) {
        return new Mutation(rule, "prod", path + ": " + from + " becomes " + to, packaging -> {
            Map<String, String> files = new TreeMap<>(packaging.files());
            if (!packaging.file(path).contains(from)) {
                throw new AssertionError(path + " has no " + from);
            }
            files.put(path, packaging.file(path).replace(from, to));
            return new Packaging(packaging.name(), packaging.objects(), files);
        });
    }

    /** Adds a file. */
    static Mutation create(String rule, String path, String text) {
        return new Mutation(rule, "prod", path + " is new", packaging -> {
            Map<String, String> files = new TreeMap<>(packaging.files());
            files.put(path, text);
            return new Packaging(packaging.name(), packaging.objects(), files);
        });
    }

    /** The same mistake in another set. */
    Mutation in(String other) {
        return new Mutation(rule, other, change, make);
    }

    private static Mutation onObject(
            String rule, String object, String change, UnaryOperator<ObjectNode> edit) {
        return new Mutation(rule, "prod", change, packaging -> {
            List<JsonNode> objects = new ArrayList<>();
            boolean found = false;
            for (JsonNode node : packaging.objects()) {
                boolean meant = matches(object, Packaging.id(node));
                found |= meant;
                JsonNode kept = meant ? edit.apply(node.deepCopy()) : node;
                if (kept != null) {
                    objects.add(kept);
                }
            }
            if (!found) {
                throw new AssertionError("there is no " + object);
            }
            return new Packaging(packaging.name(), objects, packaging.files());
        });
    }

    /** Names made by generators end in a hash, which a mutation leaves out. */
    private static boolean matches(String object, String id) {
        return id.equals(object) || id.matches(object + "-[a-z0-9]{10}");
    }
}
