package dev.rush.order;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The count of units sold, where orders that were reserved or confirmed end. */
final class Sold {

    private static final Sql GIVE_BACK = Sql.named("give-back-sold", """
            WITH ended AS (
                SELECT sale, sku, sum(quantity) AS units FROM order_lines
                WHERE id = ANY (?::uuid[]) GROUP BY sale, sku),
            locked AS (
                SELECT i.sale, i.sku, ended.units FROM items i
                JOIN ended ON ended.sale = i.sale AND ended.sku = i.sku
                ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i)
            UPDATE items i SET sold = i.sold - locked.units FROM locked
            WHERE i.sale = locked.sale AND i.sku = locked.sku""");

    private Sold() {
    }

    /**
     * Takes orders out of what is sold, in the transaction that ends them. Their rows are locked
     * already; items are locked after rows and in one order, by everyone.
     */
    static void giveBack(Connection connection, List<UUID> orders) throws SQLException {
        GIVE_BACK.update(connection, SqlArray.ids(orders));
    }
}
