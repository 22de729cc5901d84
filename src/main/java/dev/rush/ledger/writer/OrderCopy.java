package dev.rush.ledger.writer;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;

/**
 * Stores new orders by COPY, which costs PostgreSQL less than any INSERT. PostgreSQL stores the
 * first orders while the last are still being formatted, and the last while the caller continues.
 */
final class OrderCopy implements AutoCloseable {

    private static final Sql ORDERS = Sql.named("store-orders", """
            COPY orders (id, month, block, seq, placed_at_ms, pay_by_ms, partition, sale, user_id,
                key, digest, lines, lefts, claim) FROM STDIN""");
    private static final Sql RESERVATIONS = Sql.named("store-reservations", """
            COPY reservations (partition, pay_by_ms, order_id, month, sale, user_id, lines)
            FROM STDIN""");
    private static final int PART = 16 * 1024;
    private static final int ROW = 1024;

    private final CopyIn copy;
    private final StringBuilder rows = new StringBuilder(PART + ROW);

    private OrderCopy(CopyIn copy) {
        this.copy = copy;
    }

    static OrderCopy orders(Connection connection) throws SQLException {
        return new OrderCopy(ORDERS.copyIn(connection));
    }

    static OrderCopy reservations(Connection connection) throws SQLException {
        return new OrderCopy(RESERVATIONS.copyIn(connection));
    }

    void order(Purchase purchase, Terms terms, int partition, long block, String claim)
            throws SQLException {
        rows.append(purchase.order()).append('\t').append(terms.month()).append('\t')
                .append(block).append('\t').append(purchase.seq()).append('\t')
                .append(purchase.placedAt()).append('\t').append(terms.payBy(purchase))
                .append('\t').append(partition).append('\t').append(purchase.sale());
        text(purchase.user());
        text(purchase.key());
        text(purchase.digest());
        rows.append('\t').append(purchase.lines()).append('\t').append(purchase.lefts());
        text(claim);
        row();
    }

    void reservation(Purchase purchase, Terms terms, int partition) throws SQLException {
        rows.append(partition).append('\t').append(terms.payBy(purchase)).append('\t')
                .append(purchase.order()).append('\t').append(terms.month()).append('\t')
                .append(purchase.sale());
        text(purchase.user());
        rows.append('\t').append(purchase.lines());
        row();
    }

    /** Client input is visible ASCII, in which only the backslash is special for COPY. */
    private void text(@Nullable String text) {
        rows.append('\t').append(text == null ? "\\N"
                : text.indexOf('\\') < 0 ? text : text.replace("\\", "\\\\"));
    }

    private void row() throws SQLException {
        rows.append('\n');
        if (rows.length() >= PART) {
            send();
        }
    }

    /** Sends buffered rows. */
    void flush() throws SQLException {
        send();
        copy.flushCopy();
    }

    private void send() throws SQLException {
        byte[] part = rows.toString().getBytes(StandardCharsets.US_ASCII);
        copy.writeToCopy(part, 0, part.length);
        rows.setLength(0);
    }

    /** Ends the COPY; all rows are stored when this returns. */
    void end() throws SQLException {
        copy.endCopy();
    }

    /** Cancels an unfinished COPY, so that the connection can be reused. */
    @Override
    public void close() throws SQLException {
        if (copy.isActive()) {
            copy.cancelCopy();
        }
    }
}
