package dev.rush.reconciliation.report;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Envelopes and the money in them. */
@RegisterForReflection
@Schema(name = "EnvelopeSum", description = "Envelopes and the money in them, in minor units",
        requiredProperties = {"count", "amount"})
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
