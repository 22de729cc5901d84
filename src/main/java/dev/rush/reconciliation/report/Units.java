package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.StringJoiner;

/** Units of an item in one partition, by status. Immutable. */
final class Units {

    static final Units NONE = new Units(new long[Column.values().length]);

    private final long[] units;

    private Units(long[] units) {
        this.units = units;
    }

    /** Reads all columns of the sums, in order, beginning with a given column of the row. */
    static Units read(ResultSet row, int first) throws SQLException {
        long[] units = new long[Column.values().length];
        for (int i = 0; i < units.length; i++) {
            units[i] = row.getLong(first + i);
        }
        return new Units(units);
    }

    long of(Column column) {
        return units[column.ordinal()];
    }

    /** Expired or returned, whether credited or not. */
    long ended() {
        return of(Column.EXPIRED) + of(Column.RETURNED);
    }

    Units plus(Column column, long more) {
        long[] sum = units.clone();
        sum[column.ordinal()] += more;
        return new Units(sum);
    }

    Units plus(Units other) {
        long[] sum = units.clone();
        Arrays.setAll(sum, i -> sum[i] + other.units[i]);
        return new Units(sum);
    }

    Units minus(Units other) {
        long[] difference = units.clone();
        Arrays.setAll(difference, i -> difference[i] - other.units[i]);
        return new Units(difference);
    }

    /** The sum of the absolute differences of all columns. */
    long difference(Units other) {
        long difference = 0;
        for (int i = 0; i < units.length; i++) {
            difference += Math.abs(units[i] - other.units[i]);
        }
        return difference;
    }

    /** Whether a column is negative, or the columns do not add up to what was stored. */
    boolean isImpossible() {
        return Arrays.stream(units).anyMatch(count -> count < 0)
                || of(Column.STORED) != of(Column.RESERVED) + of(Column.CONFIRMED) + ended()
                || of(Column.CREDITED) > ended() || of(Column.SETTLED) > of(Column.REJECTED);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Units that && Arrays.equals(units, that.units);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(units);
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "{", "}");
        for (Column column : Column.values()) {
            if (of(column) != 0) {
                text.add(column.name().toLowerCase(Locale.ROOT) + " " + of(column));
            }
        }
        return text.toString();
    }
}
