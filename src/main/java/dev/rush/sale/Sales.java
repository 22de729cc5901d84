package dev.rush.sale;

import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Steering;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Preparing and steering sales. One method per script. */
@Singleton
public class Sales {

    private final RedisCommands redis;
    private final Partitions partitions;
    private final SaleViews views;
    private final SoldOut soldOut;
    private final Steering steering;
    private final Json json;

    @Inject
    Sales(RedisCommands redis, Partitions partitions, SaleViews views, SoldOut soldOut,
            Steering steering, Json json) {
        this.redis = redis;
        this.partitions = partitions;
        this.views = views;
        this.soldOut = soldOut;
        this.steering = steering;
        this.json = json;
    }

    /** Puts a sale into Redis: CREATED (201), EXISTS (200) or a problem. */
    CompletableFuture<Prepared> prepare(String sale, SaleDefinition definition) {
        List<String> args = new ArrayList<>(List.of(
                new String(json.write(definition), StandardCharsets.UTF_8),
                Long.toString(definition.opensAt()), Long.toString(definition.closesAt()),
                definition.duplicateGuard().text(),
                Long.toString(definition.duplicateGuardWindow()),
                Long.toString(definition.paymentWindow()),
                definition.returnRestoresLimit() ? "1" : "0", sale));
        for (SaleDefinition.Item item : definition.items()) {
            args.add(item.sku());
            args.add(Long.toString(item.total()));
            args.add(Long.toString(item.limitPerUser()));
        }
        Partition partition = partitions.of(sale);
        List<String> keys = List.of(SaleScripts.key(partition, sale, "conf"),
                SaleScripts.key(partition, sale, "stock"), SaleScripts.index(partition));
        return redis.script(SaleScripts.PREPARE, partition, keys, args)
                .thenApply(reply -> switch (reply.text()) {
                    case "created" -> Prepared.CREATED;
                    case "exists" -> Prepared.EXISTS;
                    default -> Prepared.DIFFERENT;
                });
    }

    /** What preparing found. */
    enum Prepared { CREATED, EXISTS, DIFFERENT }

    /** Pauses, resumes or closes a sale. Null when done, else why not. */
    public CompletableFuture<Problem> steer(String sale, Steering.Action action) {
        Partition partition = partitions.of(sale);
        return steering.steer(partition, SaleScripts.key(partition, sale, "conf"), action,
                Word.UNKNOWN_SALE.text()).thenApply(word -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    return "done".equals(word) ? null : Problem.of(Word.of(word));
                });
    }

    /** Raises or lowers an item's total. Null when done, else why not. */
    CompletableFuture<Problem> total(String sale, String sku, long total) {
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.TOTAL, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock")),
                List.of(sku, Long.toString(total)))
                .thenApply(reply -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    String[] words = reply.text().split(" ");
                    return switch (words[0]) {
                        case "done" -> null;
                        case "below-ordered" -> Problem.of(Word.BELOW_ORDERED,
                                words[2] + " units are ordered already.",
                                Map.of("sku", words[1], "ordered", Long.parseLong(words[2])));
                        case "unknown-item" -> Problem.of(Word.UNKNOWN_ITEM,
                                Word.UNKNOWN_ITEM.title() + ".", Map.of("sku", words[1]));
                        default -> Problem.of(Word.of(words[0]));
                    };
                });
    }
}
