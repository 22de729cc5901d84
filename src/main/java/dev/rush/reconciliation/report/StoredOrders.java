package dev.rush.reconciliation.report;

import dev.rush.ledger.OrderRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Which orders the ledger has, whatever their status. */
public final class StoredOrders {

    private static final int PAGE = 1_000;
    private static final Pattern ID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private StoredOrders() {
    }

    /** The stored ones among these ids, all of one month; malformed ids are ignored. */
    public static Set<String> of(Connection connection, int month, Collection<String> wanted)
            throws SQLException {
        Set<String> stored = new HashSet<>();
        List<UUID> ids = wanted.stream().filter(id -> ID.matcher(id).matches())
                .map(UUID::fromString).toList();
        for (int from = 0; from < ids.size(); from += PAGE) {
            OrderRows.stored(connection, month,
                    ids.subList(from, Math.min(ids.size(), from + PAGE)))
                    .forEach(id -> stored.add(id.toString()));
        }
        return stored;
    }
}
