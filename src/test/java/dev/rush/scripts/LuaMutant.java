package dev.rush.scripts;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script with one small mistake, as a hasty programmer makes them.
 *
 * @param script of the service, for example {@code sale/purchase}, or a part of scripts, for
 *               example {@code include/record}
 * @param line   the first that differs, from 1
 * @param before the original line or lines, without blanks around them
 * @param after  the replacement; empty if a statement is dropped
 * @param text   the whole script
 */
record LuaMutant(String script, int line, String before, String after, String text) {

    /** Replaces a pattern, at one place at a time. */
    private record Operator(Pattern pattern, String replacement) {
    }

    private static final List<Operator> OPERATORS = List.of(
            operator(" >= ", " > "), operator(" > ", " >= "), operator(" <= ", " < "),
            operator(" < ", " <= "), operator(" == ", " ~= "), operator(" ~= ", " == "),
            operator(" \\+ ", " - "), operator(" - ", " + "), operator(" and ", " or "),
            operator(" or ", " and "), operator("\\bnot ", ""),
            operator("(?<=[ ,(-])0(?=[ ,)]|$)", "1"), operator("(?<=[ ,(])1(?=[ ,)]|$)", "2"),
            operator("'0'", "'1'"), operator("'1'", "'0'"), operator("\\btrue\\b", "false"),
            operator("\\bfalse\\b", "true"));
    private static final Pattern KEYS = Pattern.compile("^local (\\w+(?:, \\w+)+) = unpack\\(KEYS");
    /** A whole statement on a line of its own that writes or assigns, but declares nothing. */
    private static final Pattern STATEMENT = Pattern.compile(
            "^(?:redis\\.call|call|add|write_all)\\(.*\\)$"
            + "|^[\\w.\\[\\]# +]+(?:, [\\w.]+)* = .*[^,(]$");

    private static Operator operator(String pattern, String replacement) {
        return new Operator(Pattern.compile(pattern), replacement);
    }

    /** Every mutant of a script's own lines, or of a part of scripts. */
    static List<LuaMutant> of(String script) {
        List<String> lines = LuaScripts.source(script).lines().toList();
        List<LuaMutant> mutants = new ArrayList<>();
        int body = lines.indexOf("]]") + 1;
        for (int i = body; i < lines.size(); i++) {
            if (!lines.get(i).strip().startsWith("--")) {
                replacements(script, lines, i, mutants);
                dropped(script, lines, i, mutants);
                swappedKeys(script, lines, i, mutants);
                reorderedGuards(script, lines, i, mutants);
            }
        }
        return mutants;
    }

    private static void replacements(
            String script, List<String> lines, int at, List<LuaMutant> mutants) {
        String line = lines.get(at);
        for (Operator operator : OPERATORS) {
            Matcher found = operator.pattern.matcher(line);
            while (found.find()) {
                mutants.add(of(script, lines, at, 1, line.substring(0, found.start())
                        + operator.replacement + line.substring(found.end())));
            }
        }
    }

    private static void dropped(
            String script, List<String> lines, int at, List<LuaMutant> mutants) {
        String line = lines.get(at).strip();
        boolean ended = at + 1 == lines.size() || !lines.get(at + 1).startsWith(
                " ".repeat(lines.get(at).length() - line.length() + 4));
        if (ended && !line.startsWith("local ") && STATEMENT.matcher(line).matches()) {
            mutants.add(of(script, lines, at, 1, ""));
        }
    }

    private static void swappedKeys(
            String script, List<String> lines, int at, List<LuaMutant> mutants) {
        Matcher keys = KEYS.matcher(lines.get(at));
        if (keys.find()) {
            List<String> names = List.of(keys.group(1).split(", "));
            for (int i = 0; i + 1 < names.size(); i++) {
                List<String> swapped = new ArrayList<>(names);
                swapped.set(i, names.get(i + 1));
                swapped.set(i + 1, names.get(i));
                mutants.add(of(script, lines, at, 1, lines.get(at)
                        .replace(keys.group(1), String.join(", ", swapped))));
            }
        }
    }

    /** Swaps two consecutive guards of three lines. */
    private static void reorderedGuards(
            String script, List<String> lines, int at, List<LuaMutant> mutants) {
        if (isGuard(lines, at) && isGuard(lines, at + 3)) {
            List<String> swapped = new ArrayList<>(lines.subList(at + 3, at + 6));
            swapped.addAll(lines.subList(at, at + 3));
            mutants.add(of(script, lines, at, 6, String.join("\n", swapped)));
        }
    }

    private static boolean isGuard(List<String> lines, int at) {
        return at + 2 < lines.size() && lines.get(at).strip().startsWith("if ")
                && lines.get(at + 1).strip().startsWith("return ")
                && lines.get(at + 2).strip().equals("end");
    }

    private static LuaMutant of(
            String script, List<String> lines, int at, int length, String after) {
        List<String> text = new ArrayList<>(lines.subList(0, at));
        text.add(after);
        text.addAll(lines.subList(at + length, lines.size()));
        return new LuaMutant(script, at + 1, oneLine(
                String.join("\n", lines.subList(at, at + length))), oneLine(after),
                String.join("\n", text) + "\n");
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\n\\s*", " ");
    }

    /** The mutant's name in the list of equivalent ones, without a line number, as lines move. */
    String name() {
        return script + ": " + before + " => " + after;
    }
}
