package dev.rush.reconciliation.retention;

import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditLog;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Months;
import dev.rush.ledger.OfferCache;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Replaces a user with a pseudonym in the ledger's rows of all retired sales and rains, which are
 * no longer in Redis. Sales that are not retired still need their buyers, and are listed in the
 * result. Blocks the calling thread.
 */
@Singleton
class Erasure {

    /** Sales or rains per transaction. */
    private static final int PART = 100;
    private static final int BYTES = 8;

    private final Ledger ledger;
    private final OfferCache offers;
    private final Partitions partitions;
    private final RedisCommands redis;
    private final SecureRandom random = new SecureRandom();

    @Inject
    Erasure(Ledger ledger, OfferCache offers, Partitions partitions, RedisCommands redis) {
        this.ledger = ledger;
        this.offers = offers;
        this.partitions = partitions;
        this.redis = redis;
    }

    /** The result of an erasure. */
    @RegisterForReflection
    @Schema(name = "Erasure", requiredProperties = {
        "orders", "grabs", "returns", "others", "open", "archived"})
    record Erased(
            @Schema(description = "Orders in which the user was replaced", minimum = "0")
            int orders,
            @Schema(minimum = "0")
            int grabs,
            @Schema(description = "Returns that ended as void, and were removed", minimum = "0")
            int returns,
            @Schema(description = "Replayed dead letters, deliveries of webhooks, and changes of "
                    + "the blocklist", minimum = "0")
            int others,
            @Schema(description = "Sales and rains with this user that are not retired: nothing "
                    + "was erased there. Repeat the call once they are")
            List<String> open,
            @Schema(description = "Months that are archived or being archived: nothing was erased "
                    + "there. archive.erase does it once the archiving is complete")
            List<String> archived) {
    }

    /** Erases a user. Repeating it is safe, and resumes an interrupted erasure. */
    Erased erase(String user, Actor actor) {
        List<String> open = open(user);
        String pseudonym = pseudonym();
        return LedgerProblems.begun(() -> erase(user, pseudonym, open, actor));
    }

    private Erased erase(String user, String pseudonym, List<String> open, Actor actor) {
        int orders = 0;
        int grabs = 0;
        int returns = 0;
        // An interrupted erasure has already changed orders to this pseudonym.
        AuditLog.add(ledger, actor, "user.erasure-begun", pseudonym, null,
                Map.of("open", open.size()));
        for (ErasureRows.Part part : ledger.transact((connection, ledgerState) ->
                ErasureRows.sales(connection, PART))) {
            orders += ledger.transact((connection, ledgerState) ->
                    ErasureRows.orders(connection, part, user, pseudonym));
            returns += ledger.transact((connection, ledgerState) ->
                    ErasureRows.returns(connection, part, user));
        }
        for (ErasureRows.Part part : ledger.transact((connection, ledgerState) ->
                ErasureRows.rains(connection, PART))) {
            grabs += ledger.transact((connection, ledgerState) ->
                    ErasureRows.grabs(connection, part, user, pseudonym));
        }
        int inOrders = orders;
        int inGrabs = grabs;
        int inReturns = returns;
        return ledger.transact((connection, ledgerState) -> {
            int others = ErasureRows.deliveries(connection, user, pseudonym)
                    + ErasureRows.retries(connection, user, pseudonym)
                    + ErasureRows.audit(connection, user, pseudonym);
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor, "user.erased",
                    pseudonym, null, Map.of("orders", inOrders, "grabs", inGrabs,
                            "returns", inReturns, "others", others, "open", open.size()),
                    actor.cause());
            return new Erased(inOrders, inGrabs, inReturns, others, open,
                    ErasureRows.archived(connection).stream().map(Months::text).toList());
        });
    }

    /** Sales and rains that are not retired and have the user, in the ledger or in Redis only. */
    private List<String> open(String user) {
        Map<String, Boolean> sales = new TreeMap<>();
        Map<String, Boolean> rains = new TreeMap<>();
        ledger.transactOrNull((connection, ledgerState) -> {
            sales.clear();
            rains.clear();
            ErasureRows.openSales(connection, user, sales);
            ErasureRows.openRains(connection, user, rains);
            return null;
        });
        List<String> open = new ArrayList<>();
        sales.forEach((sale, known) -> {
            if (known || isIn(offers.shards(offers.readSale(sale), sale).of(user).keys()
                    .sale(sale, "buyers"), user)) {
                open.add(sale);
            }
        });
        rains.forEach((rain, known) -> {
            if (known || isIn(partitions.of(rain).keys().rain(rain, "takers"), user)) {
                open.add(rain);
            }
        });
        return open;
    }

    private boolean isIn(Keys hash, String user) {
        return redis.command("HEXISTS", hash, user).join().number() == 1;
    }

    /** A pseudonym that cannot be linked to the user, or to the pseudonym of another call. */
    private String pseudonym() {
        byte[] id = new byte[BYTES];
        random.nextBytes(id);
        return "erased-" + HexFormat.of().formatHex(id);
    }
}
