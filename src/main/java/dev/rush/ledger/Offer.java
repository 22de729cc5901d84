package dev.rush.ledger;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sale or rain that is loaded or over, as the ledger has it.
 *
 * @param partitions of its shards, in their order; one for a rain
 * @param durability requested by its definition; null if it requests none
 * @param preparedAtMs by Redis's clock, in milliseconds since 1970; 0 until it leaves Redis
 */
public record Offer(boolean isSale, String id, int month, List<Integer> partitions,
        OfferState state, @Nullable String durability, long preparedAtMs) {

    /** Whether its definition requests that buyers wait for the ledger. */
    public boolean isAwaited() {
        return "ledger".equals(durability);
    }

    static Offer of(ResultSet row) throws SQLException {
        Array indexes = row.getArray(4);
        return new Offer(row.getBoolean(1), row.getString(2), row.getInt(3),
                List.of((Integer[]) indexes.getArray()), OfferState.of(row.getString(5)),
                row.getString(6), row.getLong(7));
    }
}
