package dev.rush.reconciliation.report;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Envelopes and the money in them. */
@RegisterForReflection
public record Money(long count, long amount) {

    static Money of(ResultSet row, int first) throws SQLException {
        return new Money(row.getLong(first), row.getLong(first + 1));
    }

    Money minus(Money other) {
        return new Money(count - other.count, amount - other.amount);
    }

    Money plus(Money other) {
        return new Money(count + other.count, amount + other.amount);
    }
}
