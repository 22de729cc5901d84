package dev.rush.sale;

import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.SaleLedger;
import dev.rush.order.StockReturned;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Steering;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;

/** Preparing and steering sales. One method per script. */
@Singleton
public class Sales {

    private static final Logger LOG = Logger.getLogger(Sales.class);

    private final RedisCommands redis;
    private final Partitions partitions;
    private final SaleViews views;
    private final SoldOut soldOut;
    private final Steering steering;
    private final Json json;
    private final Ledger ledger;
    private final SaleLedger saleLedger;

    @Inject
    Sales(RedisCommands redis, Partitions partitions, SaleViews views, SoldOut soldOut,
            Steering steering, Json json, Ledger ledger, SaleLedger saleLedger) {
        this.redis = redis;
        this.partitions = partitions;
        this.views = views;
        this.soldOut = soldOut;
        this.steering = steering;
        this.json = json;
        this.ledger = ledger;
        this.saleLedger = saleLedger;
    }

    /**
     * Prepares a sale, ledger first, then Redis. Whatever it was cut off at before, the same call
     * goes on from there. Fails with a problem while the ledger is away.
     */
    CompletableFuture<Prepared> prepare(String sale, SaleDefinition definition) {
        String text = new String(json.write(definition), StandardCharsets.UTF_8);
        if (!ledger.isWanted()) {
            return hold(sale, text, definition).thenCompose(held -> switch (held[0]) {
                case "held" -> load(sale, definition, held[1]);
                case "exists" -> CompletableFuture.completedFuture(Prepared.EXISTS);
                default -> CompletableFuture.completedFuture(Prepared.DIFFERENT);
            });
        }
        List<SaleLedger.Item> items = definition.items().stream().map(item ->
                new SaleLedger.Item(item.sku(), item.total(), item.limitPerUser())).toList();
        return saleLedger.prepare(sale, text, definition.returnRestoresLimit(), items)
                .thenCompose(entry -> {
                    if (!entry.same() || entry.isRetired()) {
                        return CompletableFuture.completedFuture(
                                entry.same() ? Prepared.EXISTS : Prepared.DIFFERENT);
                    }
                    return entry.isLoaded() ? load(sale, definition, entry.epoch())
                            : hold(sale, text, definition).thenCompose(held ->
                                    release(sale, definition, held));
                });
    }

    /** Tells the ledger which loading is released, then releases it. */
    private CompletableFuture<Prepared> release(
            String sale, SaleDefinition definition, String[] held) {
        if (held[0].equals("sale-exists")) {
            return CompletableFuture.completedFuture(Prepared.DIFFERENT);
        }
        // A sale that Redis had before there was a ledger is taken over as it is.
        return saleLedger.loaded(sale, held.length > 1 ? held[1] : "")
                .thenCompose(epoch -> load(sale, definition, epoch));
    }

    private CompletableFuture<String[]> hold(
            String sale, String text, SaleDefinition definition) {
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.PREPARE, partition,
                List.of(SaleScripts.key(partition, sale, "conf")), List.of(text,
                        Long.toString(definition.opensAt()), Long.toString(definition.closesAt()),
                        definition.duplicateGuard().text(),
                        Long.toString(definition.duplicateGuardWindow()),
                        Long.toString(definition.paymentWindow()),
                        definition.returnRestoresLimit() ? "1" : "0",
                        UUID.randomUUID().toString()))
                .thenApply(reply -> reply.text().split(" "));
    }

    private CompletableFuture<Prepared> load(
            String sale, SaleDefinition definition, String epoch) {
        List<String> args = new ArrayList<>(List.of(epoch, sale));
        for (SaleDefinition.Item item : definition.items()) {
            args.add(item.sku());
            args.add(Long.toString(item.total()));
            args.add(Long.toString(item.limitPerUser()));
        }
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.LOAD, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock"),
                        SaleScripts.index(partition)), args)
                .thenApply(reply -> switch (reply.text()) {
                    case "created" -> Prepared.CREATED;
                    case "exists" -> Prepared.EXISTS;
                    default -> Prepared.NOT_LOADED;
                });
    }

    /** Units are back: what this pod holds of the sale is old. */
    void returned(@Observes StockReturned event) {
        views.forget(event.sale());
        soldOut.forget(event.sale());
    }

    /** What preparing found. */
    enum Prepared { CREATED, EXISTS, DIFFERENT, NOT_LOADED }

    /** Pauses, resumes or closes a sale. Null when done, else why not. */
    public CompletableFuture<Problem> steer(String sale, Steering.Action action) {
        Partition partition = partitions.of(sale);
        return steering.steer(partition, SaleScripts.key(partition, sale, "conf"), action,
                Word.UNKNOWN_SALE.text()).thenApply(word -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    if (!"done".equals(word)) {
                        Word refusal = "unknown-sale".equals(word)
                                ? views.absence(sale) : Word.of(word);
                        return refusal == Word.CLOSED && action == Steering.Action.CLOSE
                                ? null : Problem.of(refusal);
                    }
                    copySteering(sale, action);
                    return null;
                });
    }

    /** The ledger's copy serves a rebuild of Redis only, so nobody waits for it. */
    private void copySteering(String sale, Steering.Action action) {
        if (ledger.isWanted()) {
            saleLedger.steered(sale, action == Steering.Action.PAUSE,
                    action == Steering.Action.CLOSE)
                    .exceptionally(failure -> {
                        LOG.warnf("The ledger did not learn of %s of sale %s", action, sale);
                        return null;
                    });
        }
    }

    /**
     * Raises or lowers an item's total. Null when done, else why not. The total in Redis is never
     * above the ledger's: a raise begins there, a lowering ends there.
     */
    CompletableFuture<Problem> total(String sale, String sku, long total) {
        if (!ledger.isWanted()) {
            return totalInRedis(sale, sku, total, 0);
        }
        return saleLedger.changeTotal(sale, sku, total).thenCompose(change -> {
            if (!change.found()) {
                return views.fresh(sale).thenApply(view -> view == null
                        ? Problem.of(views.absence(sale)) : unknownItem(sku));
            }
            return totalInRedis(sale, sku, total, change.version()).thenCompose(problem -> {
                if (problem != null || !change.lower()) {
                    return CompletableFuture.completedFuture(problem);
                }
                return saleLedger.lowered(sale, sku, total, change.version()).thenApply(done ->
                        done ? null : Problem.of(Word.BELOW_ORDERED,
                                "The ledger has more units sold already.", Map.of("sku", sku)));
            });
        });
    }

    private CompletableFuture<Problem> totalInRedis(
            String sale, String sku, long total, long version) {
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.TOTAL, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock")),
                List.of(sku, Long.toString(total), Long.toString(version)))
                .thenApply(reply -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    String[] words = reply.text().split(" ");
                    return switch (words[0]) {
                        case "done", "overtaken" -> null;
                        case "below-ordered" -> Problem.of(Word.BELOW_ORDERED,
                                words[2] + " units are ordered already.",
                                Map.of("sku", words[1], "ordered", Long.parseLong(words[2])));
                        case "unknown-item" -> unknownItem(words[1]);
                        case "unknown-sale" -> Problem.of(views.absence(sale));
                        default -> Problem.of(Word.of(words[0]));
                    };
                });
    }

    private static Problem unknownItem(String sku) {
        return Problem.of(Word.UNKNOWN_ITEM, Word.UNKNOWN_ITEM.title() + ".", Map.of("sku", sku));
    }
}
