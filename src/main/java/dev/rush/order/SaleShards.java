package dev.rush.order;

import dev.rush.order.sql.Sql;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Where the ledger says that a sale lies. That never changes. */
@Singleton
public class SaleShards {

    private static final Sql COUNT = Sql.named("shards-of-sale",
            "SELECT cardinality(partitions) FROM sales WHERE sale = ?");

    private final KnownIds known;
    private final Ledger ledger;
    private final Partitions partitions;

    @Inject
    SaleShards(KnownIds known, Ledger ledger, Partitions partitions) {
        this.known = known;
        this.ledger = ledger;
        this.partitions = partitions;
    }

    /** The shards of a sale; one for a sale that the ledger does not have. */
    public CompletableFuture<Shards> of(String sale) {
        return known.hasSale(sale) ? CompletableFuture.completedFuture(known.shards(sale))
                : ledger.read(connection -> read(connection, sale));
    }

    /** As {@link #of}, on the calling thread, which must not be an event loop. */
    public Shards read(String sale) {
        return known.hasSale(sale) ? known.shards(sale)
                : ledger.transact(connection -> read(connection, sale));
    }

    private Shards read(Connection connection, String sale) throws SQLException {
        Integer count = COUNT.first(connection, row -> row.getInt(1), sale);
        return partitions.shards(sale, count != null ? count : 1);
    }
}
