package dev.rush.reconciliation.report;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Which grabs the ledger has, including refused ones. */
public final class StoredGrabs {

    private static final int PAGE = 1_000;
    private static final Pattern ID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Sql STORED = Sql.named("grabs-known", """
            SELECT i FROM unnest(?::uuid[]) AS i JOIN LATERAL (
                (SELECT FROM grabs g WHERE g.month = ? AND g.id = i LIMIT 1) UNION ALL
                (SELECT FROM rejected_grabs r WHERE r.month = ? AND r.id = i LIMIT 1) LIMIT 1)
                AS known ON true""");

    private StoredGrabs() {
    }

    /** The stored ones among these ids, all of one month; malformed ids are ignored. */
    public static Set<String> of(Connection connection, int month, Collection<String> wanted)
            throws SQLException {
        Set<String> stored = new HashSet<>();
        List<UUID> ids = wanted.stream().filter(id -> ID.matcher(id).matches())
                .map(UUID::fromString).toList();
        for (int from = 0; from < ids.size(); from += PAGE) {
            STORED.each(connection, row -> stored.add(row.getString(1)),
                    SqlArray.ids(ids.subList(from, Math.min(ids.size(), from + PAGE))), month,
                    month);
        }
        return stored;
    }
}
