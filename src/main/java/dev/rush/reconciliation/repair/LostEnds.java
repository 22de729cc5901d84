package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Step;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.writer.EndedOrders;
import dev.rush.ledger.writer.EndedOrders.Ended;
import dev.rush.ledger.writer.StreamEntry;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.order.BuyerRecord;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.order.ReportedStep;
import dev.rush.reconciliation.repair.RecordScan.Kind;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Stores orders that were placed and had also ended in what the ledger lost, so that only Redis has
 * them.
 */
@Singleton
class LostEnds {

    private static final Logger LOG = Logger.getLogger(LostEnds.class);
    private static final Actor ACTOR = Actor.service("refill");
    private static final String CAUSE = "refilled from Redis";
    private static final int USERS = 500;
    /** Orders per transaction, while which the partition's writer waits. */
    private static final int PART = 2_000;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Requeue requeue;
    private final EndedOrders orders;

    @Inject
    LostEnds(Ledger ledger, RedisCommands redis, Requeue requeue, EndedOrders orders) {
        this.ledger = ledger;
        this.redis = redis;
        this.requeue = requeue;
        this.orders = orders;
    }

    /**
     * Stores those of a sale in a partition, and returns how many.
     *
     * @param epoch of the ledger that lost them
     */
    long store(String sale, int month, int epoch, Evidence evidence) {
        Partition partition = evidence.partition();
        Map<UUID, List<ReportedStep>> reported = evidence.reported().stream()
                .collect(Collectors.groupingBy(ReportedStep::order));
        RecordScan scan = requeue.scan(Kind.ENDED, sale, month, partition);
        long stored = 0;
        long lost = 0;
        while (!scan.isOver()) {
            Map<String, String> found = scan.next();
            lost += found.size();
            List<Ended> ended = purchases(sale, partition, found).stream().map(order -> ended(
                    order, reported.getOrDefault(order.purchase.order(), List.of()),
                    partition.index())).toList();
            for (int i = 0; i < ended.size(); i += PART) {
                List<Ended> part = ended.subList(i, Math.min(ended.size(), i + PART));
                stored += ledger.transact((connection, ledgerState) -> {
                    ledgerState.requireChecked(epoch);
                    return orders.store(connection, ledgerState, sale, partition.index(), part);
                });
            }
        }
        if (stored < lost) {
            LOG.warnf("%d orders of sale %s have ended in Redis and cannot be stored: their lines"
                    + " contradict the sale, or their keys are in use", lost - stored, sale);
        }
        return stored;
    }

    private record EndedPurchase(Purchase purchase, boolean isExpired) {
    }

    /** Reads these orders, without those that are malformed or repeat an id or a key. */
    private List<EndedPurchase> purchases(String sale, Partition partition,
            Map<String, String> lost) {
        List<EndedPurchase> purchases = new ArrayList<>();
        Set<String> known = new HashSet<>();
        List<String> users = List.copyOf(new HashSet<>(lost.values()));
        for (int i = 0; i < users.size(); i += USERS) {
            List<String> part = users.subList(i, Math.min(users.size(), i + USERS));
            Reply records = redis.read("HMGET", partition.keys().sale(sale, "buyers"),
                    part.toArray(String[]::new)).join();
            for (int place = 0; place < part.size(); place++) {
                String user = part.get(place);
                String record = records.at(place).isNull() ? null : records.at(place).text();
                List<Line> lines = record == null ? List.of() : BuyerRecord.lines(record);
                lines.stream().filter(Line::isCredited)
                        .filter(line -> lost.containsKey(line.order()))
                        .filter(line -> known.add(line.order()) && (line.key().isEmpty()
                                || known.add(user + " " + line.key())))
                        .forEach(line -> {
                            if (entry(sale, user, line) instanceof Purchase purchase) {
                                purchases.add(new EndedPurchase(purchase, line.isExpired()));
                            }
                        });
            }
        }
        return purchases;
    }

    /** The entry that the order had in the stream, by the same rules. */
    private static StreamEntry entry(String sale, String user, Line line) {
        return StreamEntry.of("record", Map.ofEntries(Map.entry("kind", "purchase"),
                Map.entry("sale", sale), Map.entry("at", Long.toString(line.placedAt())),
                Map.entry("pay_by", Long.toString(line.payBy())), Map.entry("seq", "0"),
                Map.entry("user", user), Map.entry("order", line.order()),
                Map.entry("key", line.key()), Map.entry("digest", line.digest()),
                Map.entry("lines", line.lines()), Map.entry("lefts", line.lefts())));
    }

    private static Ended ended(EndedPurchase order, List<ReportedStep> reported, int partition) {
        Purchase purchase = order.purchase;
        StepKind end = order.isExpired ? StepKind.EXPIRED : StepKind.RETURNED;
        ReportedStep ended = first(reported, end);
        List<Step> steps = new ArrayList<>();
        ReportedStep paid = first(reported, StepKind.CONFIRMED);
        boolean wasPaid = purchase.payBy() > 0 && end == StepKind.RETURNED
                && (paid != null || ended != null && ended.step() > 1);
        if (wasPaid) {
            steps.add(step(purchase, steps, StepKind.CONFIRMED, partition, paid));
        }
        steps.add(step(purchase, steps, end, partition, ended));
        steps.add(step(purchase, steps, StepKind.CREDITED, partition, null));
        return new Ended(purchase, order.isExpired, steps);
    }

    private static @Nullable ReportedStep first(List<ReportedStep> reported, StepKind kind) {
        return reported.stream().filter(step -> step.kind().equals(kind.text())).findFirst()
                .orElse(null);
    }

    /** The next step, as it was reported, or by the refill. */
    private static Step step(Purchase purchase, List<Step> before, StepKind kind, int partition,
            @Nullable ReportedStep reported) {
        Actor actor = reported == null ? ACTOR : new Actor(reported.actor());
        return new Step(purchase.order(), before.size() + 1, kind, partition, purchase.sale(), 0,
                actor, reported == null ? CAUSE : actor.cause(),
                reported == null ? Payment.NONE : reported.payment());
    }
}
