package dev.rush.ledger;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A mutant of the SQL guards: text that occurs once in a file, and its replacement.
 *
 * @param file   a class under {@code dev/rush} or a migration, without ending
 * @param before words as they are, however they are broken into lines
 */
public record SqlRewrite(String file, String before, String after) {

    /** Rewrites nothing. */
    public static final SqlRewrite NONE = new SqlRewrite("", "", "");

    Pattern pattern() {
        return Pattern.compile(Arrays.stream(before.split("\\s+")).map(Pattern::quote)
                .collect(Collectors.joining("\\s+")));
    }

    String apply(String sql) {
        return before.isEmpty() ? sql
                : pattern().matcher(sql).replaceFirst(Matcher.quoteReplacement(after));
    }

    @Override
    public String toString() {
        return file + ": " + before + " => " + after;
    }
}
