package dev.rush.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request of a document and the answer shown below it, which may be abbreviated. An answer fits
 * if it has at least these headers and fields. In a text, {@code …} stands for any text. An id
 * stands for any id, and an instant for any instant.
 *
 * @param command what a shell runs
 * @param answer  what the document shows
 * @param isHttp  whether the answer is HTTP with its head, rather than lines of text
 */
record Example(String command, String answer, boolean isHttp) {
    private static final Pattern BLOCKS = Pattern.compile(
            "```sh\\n(.*?)```\\n\\n```(http|text)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern METHOD = Pattern.compile("curl .*-X ([A-Z]+) ");
    private static final Pattern PATH = Pattern.compile("localhost:8080(/[^ '\"?\\n]*)");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** An answer of HTTP as {@code curl -i} prints it. */
    record Reply(String status, TreeMap<String, String> headers, String body) {

        static Reply of(String printed) {
            String[] parts = printed.replace("\r", "").split("\n\n", 2);
            TreeMap<String, String> headers = new TreeMap<>();
            List<String> lines = parts[0].lines().toList();
            lines.stream().skip(1).map(line -> line.split(": ", 2)).filter(line -> line.length > 1)
                    .forEach(line -> headers.put(line[0].toLowerCase(Locale.ROOT), line[1]));
            return new Reply(lines.isEmpty() ? "" : lines.get(0).trim(), headers,
                    parts.length == 1 ? "" : parts[1].trim());
        }

        int code() {
            return Integer.parseInt(status.split(" ")[1]);
        }
    }

    /** All examples of a document, in its order. */
    static List<Example> of(String document) {
        return BLOCKS.matcher(document).results().map(block -> new Example(
                block.group(1), block.group(3), block.group(2).equals("http"))).toList();
    }

    String method() {
        Matcher named = METHOD.matcher(command);
        return named.find() ? named.group(1) : command.contains(" -d ") ? "POST" : "GET";
    }

    String path() {
        return PATH.matcher(command).results().map(MatchResult::group).findFirst().orElseThrow()
                .substring("localhost:8080".length());
    }

    /** Whether the answer that the shell printed fits the one in the document. */
    boolean fits(String printed, Parser json) {
        if (!isHttp) {
            int from = 0;
            List<String> lines = printed.replace("\r", "").lines().toList();
            for (String line : answer.lines().toList()) {
                while (from < lines.size() && !matches(line, lines.get(from))) {
                    from++;
                }
                from++;
            }
            return from <= lines.size();
        }
        Reply expected = Reply.of(answer);
        Reply actual = Reply.of(printed);
        return expected.status.equals(actual.status)
                && expected.headers.entrySet().stream().allMatch(header ->
                        actual.headers.containsKey(header.getKey())
                        && matches(header.getValue(), actual.headers.get(header.getKey())))
                && (expected.body.isEmpty() ? actual.body.isEmpty()
                        : fits(json.read(expected.body), json.read(actual.body)));
    }

    /** Reads JSON. */
    interface Parser {
        JsonNode read(String text);
    }

    private static boolean fits(JsonNode expected, JsonNode actual) {
        if (expected.isObject()) {
            return expected.properties().stream().allMatch(field ->
                    actual.has(field.getKey())
                    && fits(field.getValue(), actual.get(field.getKey())));
        }
        if (expected.isArray()) {
            boolean same = expected.size() == actual.size();
            for (int i = 0; same && i < expected.size(); i++) {
                same = fits(expected.get(i), actual.get(i));
            }
            return same;
        }
        return expected.isTextual() ? actual.isTextual()
                && matches(expected.asText(), actual.asText()) : expected.equals(actual);
    }

    private static boolean matches(String expected, String actual) {
        if (expected.contains("…")) {
            return actual.matches("(?s)" + Pattern.quote(expected).replace("…", "\\E.*\\Q"));
        }
        return expected.equals(actual)
                || ID.matcher(expected).matches() && ID.matcher(actual).matches()
                || isInstant(expected) && isInstant(actual);
    }

    private static boolean isInstant(String text) {
        try {
            Instant.parse(text);
            return true;
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
