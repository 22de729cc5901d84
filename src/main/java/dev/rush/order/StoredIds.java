package dev.rush.order;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Which orders or grabs the ledger has, whatever became of them. */
public final class StoredIds {

    public static final Sql ORDERS = Sql.named("orders-stored",
            "SELECT id FROM orders WHERE id = ANY (?::uuid[])");
    public static final Sql GRABS = Sql.named("grabs-stored",
            "SELECT id FROM grabs WHERE id = ANY (?::uuid[])");
    private static final Pattern ID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int IDS_MAX = 10_000;

    private StoredIds() {
    }

    /**
     * Those of these ids that it has.
     *
     * @param sql    {@link #ORDERS} or {@link #GRABS}
     * @param wanted any texts; what is no id is not there
     */
    public static Set<String> of(Connection connection, Sql sql, Collection<String> wanted)
            throws SQLException {
        Set<String> stored = new HashSet<>();
        List<String> ids = wanted.stream().filter(id -> ID.matcher(id).matches()).toList();
        for (int from = 0; from < ids.size(); from += IDS_MAX) {
            sql.each(connection, row -> stored.add(row.getString(1)), SqlArray.texts(
                    ids.subList(from, Math.min(ids.size(), from + IDS_MAX))));
        }
        return stored;
    }

    static UUID id(ResultSet row) throws SQLException {
        return row.getObject(1, UUID.class);
    }
}
