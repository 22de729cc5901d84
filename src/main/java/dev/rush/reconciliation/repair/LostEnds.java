package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.EndedOrders;
import dev.rush.ledger.EndedOrders.Ended;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Lines;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Payment;
import dev.rush.ledger.SaleRows;
import dev.rush.ledger.Step;
import dev.rush.ledger.StepKind;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.order.ReportedStep;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Stores orders that were placed and also ended in what the ledger lost, so that only Redis has
 * them. Their units are sold again, perhaps, so they cannot be stored as others are.
 */
@Singleton
class LostEnds {

    private static final Logger LOG = Logger.getLogger(LostEnds.class);
    private static final Actor ACTOR = Actor.service("refill");
    private static final String CAUSE = "refilled from Redis";
    /** The second try sees the order of the same buyer that was stored beside the first one. */
    private static final int TRIES = 2;

    private final Ledger ledger;
    private final Requeue requeue;

    @Inject
    LostEnds(Ledger ledger, Requeue requeue) {
        this.ledger = ledger;
        this.requeue = requeue;
    }

    /** An order of a sale that has ended in Redis. */
    record EndedLine(String user, Line line) {

        UUID id() {
            return UUID.fromString(line.order());
        }
    }

    /**
     * Stores those of these orders that are in no store, and whose items the sale has.
     *
     * @return how many were stored
     */
    long store(String sale, int month, Evidence evidence, List<EndedLine> lines) {
        Partition partition = evidence.partition();
        Map<String, String> unknown = new HashMap<>();
        lines.forEach(line -> unknown.put(line.line.order(), line.user));
        requeue.removeKnown(sale, month, partition, unknown);
        if (unknown.isEmpty()) {
            return 0;
        }
        Set<String> skus = skus(sale);
        List<Ended> lost = lines.stream().filter(line -> unknown.containsKey(line.line.order()))
                .filter(line -> skus.containsAll(Lines.quantities(line.line.lines()).keySet()))
                .map(line -> ended(sale, month, evidence, line)).toList();
        long stored = 0;
        for (int tries = 0; tries < TRIES && !lost.isEmpty(); tries++) {
            List<Ended> left = lost;
            Set<UUID> ids = ledger.transact((connection, ledgerState) -> EndedOrders.store(
                    connection, ledgerState, sale, month, partition.index(), left));
            stored += ids.size();
            lost = left.stream().filter(one -> !ids.contains(one.order().id())).toList();
        }
        if (stored < unknown.size()) {
            LOG.warnf("%d orders of sale %s have ended in Redis and cannot be stored",
                    unknown.size() - stored, sale);
        }
        return stored;
    }

    private Set<String> skus(String sale) {
        SaleRows.Kept kept =
                ledger.transactOrNull((connection, ledgerState) -> SaleRows.kept(connection, sale));
        return kept == null ? Set.of() : kept.items().stream().map(SaleRows.KeptItem::sku)
                .collect(Collectors.toSet());
    }

    private static Ended ended(String sale, int month, Evidence evidence, EndedLine ended) {
        Line line = ended.line;
        StepKind end = line.isExpired() ? StepKind.EXPIRED : StepKind.RETURNED;
        Order order = new Order(ended.id(), month, sale, ended.user,
                line.key().isEmpty() ? null : line.key(), line.digest(), line.lines(),
                line.lefts(), line.placedAt(), line.payBy(), evidence.partition().index(), 0, 0,
                line.isExpired() ? OrderStatus.EXPIRED : OrderStatus.RETURNED, 0, null);
        List<Step> steps = new ArrayList<>();
        ReportedStep paid = reported(evidence, order, StepKind.CONFIRMED);
        if (paid != null && line.payBy() > 0 && end == StepKind.RETURNED) {
            add(steps, order, StepKind.CONFIRMED, new Actor(paid.actor()), paid.payment());
        }
        ReportedStep known = reported(evidence, order, end);
        add(steps, order, end, known == null ? ACTOR : new Actor(known.actor()), Payment.NONE);
        add(steps, order, StepKind.CREDITED, ACTOR, Payment.NONE);
        return new Ended(order, steps);
    }

    private static void add(List<Step> steps, Order order, StepKind kind, Actor actor,
            Payment payment) {
        steps.add(new Step(order.id(), steps.size() + 1, kind, order.partition(), order.sale(), 0,
                actor, actor.equals(ACTOR) ? CAUSE : actor.cause(), payment));
    }

    private static @Nullable ReportedStep reported(Evidence evidence, Order order, StepKind kind) {
        return evidence.reported().stream().filter(step -> step.order().equals(order.id())
                && step.kind().equals(kind.text())).findFirst().orElse(null);
    }
}
