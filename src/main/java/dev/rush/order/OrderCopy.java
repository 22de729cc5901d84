package dev.rush.order;

import dev.rush.order.StreamEntry.Purchase;
import dev.rush.order.sql.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/**
 * New orders by COPY, which costs PostgreSQL less than any INSERT. It stores the first orders while
 * the last are still being spelled, and the last while the caller does something else.
 */
final class OrderCopy implements AutoCloseable {

    private static final Sql COPY = Sql.named("copy-orders", """
            COPY orders (id, sale, user_id, key, digest, lines, lefts, status, placed_at_ms,
                pay_by_ms, partition, seq) FROM STDIN""");
    private static final int PART = 32 * 1024;
    private static final int ROW = 512;

    private final CopyIn copy;
    private final String partition;
    private final StringBuilder rows = new StringBuilder(PART + ROW);

    /** Begins, for orders of one partition. */
    OrderCopy(Connection connection, int partition) throws SQLException {
        this.partition = Integer.toString(partition);
        copy = COPY.copyIn(connection);
    }

    /** Sends orders to be stored. */
    void send(List<Purchase> purchases) throws SQLException {
        for (Purchase purchase : purchases) {
            add(purchase);
        }
        sendRows();
        copy.flushCopy();
    }

    private void add(Purchase purchase) throws SQLException {
        rows.append(purchase.order()).append('\t').append(purchase.sale()).append('\t');
        text(purchase.user()).append('\t');
        text(purchase.key()).append('\t');
        text(purchase.digest()).append('\t').append(purchase.lines()).append('\t')
                .append(purchase.lefts()).append('\t')
                .append(purchase.payBy() > 0 ? "reserved" : "confirmed").append('\t')
                .append(purchase.placedAt()).append('\t').append(purchase.payBy()).append('\t')
                .append(partition).append('\t').append(purchase.seq()).append('\n');
        if (rows.length() >= PART) {
            sendRows();
        }
    }

    /** All are stored when this returns. */
    void end() throws SQLException {
        copy.endCopy();
    }

    /** Gives up what was not ended, so that the connection can be used again. */
    @Override
    public void close() throws SQLException {
        if (copy.isActive()) {
            copy.cancelCopy();
        }
    }

    /** What clients choose is visible ASCII, of which COPY reads only the backslash otherwise. */
    private StringBuilder text(String text) {
        return rows.append(text.indexOf('\\') < 0 ? text : text.replace("\\", "\\\\"));
    }

    private void sendRows() throws SQLException {
        byte[] part = rows.toString().getBytes(StandardCharsets.US_ASCII);
        copy.writeToCopy(part, 0, part.length);
        rows.setLength(0);
    }
}
