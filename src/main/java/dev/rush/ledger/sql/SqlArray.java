package dev.rush.ledger.sql;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * An array as a parameter of a statement.
 *
 * @param type PostgreSQL's name of the elements' type
 */
public record SqlArray(String type, Object[] elements) {

    /** For {@code text[]}. */
    public static SqlArray texts(Collection<String> texts) {
        return new SqlArray("text", texts.toArray());
    }

    /** For {@code text[]}, with one text per item. */
    public static <T> SqlArray texts(List<T> items, Function<T, String> text) {
        return new SqlArray("text", items.stream().map(text).toArray());
    }

    /** For {@code ?::uuid[]}. */
    public static SqlArray ids(Collection<UUID> ids) {
        return new SqlArray("text", ids.stream().map(UUID::toString).toArray());
    }

    /** For {@code integer[]}. */
    public static SqlArray integers(Collection<Integer> numbers) {
        return new SqlArray("int4", numbers.toArray());
    }

    /** For {@code bigint[]}, with one number per item. */
    public static <T> SqlArray longs(Collection<T> items, Function<T, Long> number) {
        return new SqlArray("int8", items.stream().map(number).toArray());
    }
}
