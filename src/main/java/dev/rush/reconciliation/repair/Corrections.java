package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.sql.Sql;
import dev.rush.reconciliation.report.SaleBooks;
import dev.rush.redis.Change;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.Borrowing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * Corrects figures of a sale in Redis. Each method returns the number of units that it corrected.
 */
@Singleton
class Corrections {

    private static final Actor ACTOR = Actor.service("repair");
    private static final Sql VERSION = Sql.named("version-of-total",
            "SELECT version FROM items WHERE sale = ? AND sku = ?");

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Borrowing borrowing;

    @Inject
    Corrections(Ledger ledger, RedisCommands redis, Borrowing borrowing) {
        this.ledger = ledger;
        this.redis = redis;
        this.borrowing = borrowing;
    }

    /**
     * Gives units of an item back to a shard.
     *
     * @param excess units by which the total exceeds the ledger's: they leave the total in the same
     *               step, so that they cannot be bought
     */
    long giveBack(String sale, Partition shard, String sku, long units, long excess) {
        return -corrected(sale, shard, RepairScripts.ADJUST, sku, Long.toString(-units),
                Long.toString(excess));
    }

    /** Deducts units in one shard, with free ones of the others if it has too few. */
    long deduct(String sale, Shards shards, int shard, String sku, long units) {
        if (shards.isSplit()) {
            borrowing.bring(sale, shards, shard, sku, units).join();
        }
        return corrected(sale, shards.get(shard), RepairScripts.ADJUST, sku,
                Long.toString(units), "0");
    }

    /**
     * Sets an item's total to the ledger's: adds to the first shard, or removes free units from
     * any. Returns the resulting total.
     */
    long total(String sale, Shards shards, SaleBooks.Item item) {
        String version = Long.toString(ledger.transact((connection, ledgerState) ->
                VERSION.one(connection, row -> row.getLong(1), sale, item.sku())));
        long missing = item.ledgerTotal() - item.total();
        for (int shard = 0; shard < shards.count(); shard++) {
            String whole = shard == 0 && shards.isSplit()
                    ? Long.toString(item.ledgerTotal()) : "-";
            missing -= corrected(sale, shards.get(shard), RepairScripts.TOTAL, item.sku(),
                    Long.toString(missing), version, whole);
        }
        return item.ledgerTotal() - missing;
    }

    private long corrected(String sale, Partition shard, Script script, String... args) {
        Change change = Change.of("item", sale + "/" + args[0], ACTOR.text(), null);
        String[] words = redis.change(script,
                change.keys(shard.keys().sale(sale, "conf", "stock")), change.args(args))
                .join().word().split(" ");
        return words[0].equals("adjusted") ? Long.parseLong(words[1]) : 0;
    }
}
