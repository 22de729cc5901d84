package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import dev.rush.order.BuyerRecord;
import dev.rush.order.OrderScripts;
import dev.rush.order.ReportedStep;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;

/** Restores lost steps of orders in the ledger, as far as Redis has them. */
@Singleton
class RefilledSteps {

    private static final Actor ACTOR = Actor.service("refill");
    private static final String CAUSE = "refilled from Redis";
    private static final String PART = "500";
    private static final String END = "0";

    private final Ledger ledger;
    private final RedisCommands redis;

    @Inject
    RefilledSteps(Ledger ledger, RedisCommands redis) {
        this.ledger = ledger;
        this.redis = redis;
    }

    /** Ends orders of a sale whose units are back in Redis. Returns how many were ended. */
    long ended(String sale, int month, Partition partition) {
        long ended = 0;
        String cursor = END;
        do {
            Reply part = redis.read("HSCAN", partition.keys().sale(sale, "buyers"),
                    cursor, "COUNT", PART).join();
            cursor = part.at(0).word();
            List<BuyerRecord.Line> lines = new ArrayList<>();
            part.at(1).pairs().forEach((user, record) -> BuyerRecord.lines(record).stream()
                    .filter(BuyerRecord.Line::isCredited).forEach(lines::add));
            if (!lines.isEmpty()) {
                ended += ledger.transact((connection, ledgerState) ->
                        end(connection, ledgerState, month, lines));
            }
        } while (!cursor.equals(END));
        return ended;
    }

    private static int end(Connection connection, LedgerState ledgerState, int month,
            List<BuyerRecord.Line> lines) throws SQLException {
        Map<UUID, BuyerRecord.Line> byId = lines.stream().collect(Collectors.toMap(
                line -> UUID.fromString(line.order()), line -> line, (one, other) -> other));
        int ended = 0;
        for (UUID id : RefillRows.notEnded(connection, month, byId.keySet())) {
            Order order = Objects.requireNonNull(OrderRows.find(connection, month, id));
            BuyerRecord.Line line = Objects.requireNonNull(byId.get(id));
            boolean isReserved = order.status() == OrderStatus.RESERVED;
            if (isReserved && line.isExpired()) {
                Steps.expire(connection, ledgerState, order, ACTOR, CAUSE);
                ended++;
            } else if (!line.isExpired() && (isReserved
                    || order.status() == OrderStatus.CONFIRMED)) {
                Steps.giveBack(connection, ledgerState, order, ACTOR, CAUSE);
                ended++;
            }
        }
        return ended;
    }

    /** Adds missing steps that were reported to clients. Returns how many were added. */
    long reported(Evidence evidence) {
        List<ReportedStep> missing = missing(evidence);
        long reported = 0;
        // Steps of one order may be in both lists, so they are added by their number.
        for (ReportedStep step : missing.stream()
                .sorted(Comparator.comparingInt(ReportedStep::step)).toList()) {
            reported += ledger.transact((connection, ledgerState) ->
                    add(connection, ledgerState, step)) ? 1 : 0;
        }
        return reported;
    }

    private List<ReportedStep> missing(Evidence evidence) {
        return ledger.transact((connection, ledgerState) ->
                Evidence.missing(connection, List.of(evidence)));
    }

    /** Removes steps that cannot be added because their order is lost too. */
    void forget(Partition partition, List<ReportedStep> lost) {
        if (lost.isEmpty()) {
            return;
        }
        for (String list : List.of("reported", "expired")) {
            redis.script(OrderScripts.FORGET, partition.keys().named(list),
                    lost.stream().map(ReportedStep::text).toList()).join();
        }
    }

    private static boolean add(Connection connection, LedgerState ledgerState, ReportedStep step)
            throws SQLException {
        Order order = OrderRows.find(connection, step.month(), step.order());
        // An earlier step may not have been recorded in time.
        if (order == null || order.step() >= step.step()) {
            return false;
        }
        Actor actor = new Actor(step.actor());
        boolean isReserved = order.status() == OrderStatus.RESERVED;
        if (step.kind().equals(StepKind.CONFIRMED.text()) && isReserved) {
            Steps.confirm(connection, ledgerState, order, actor, step.payment());
            return true;
        }
        if (step.kind().equals(StepKind.EXPIRED.text()) && isReserved) {
            Steps.expire(connection, ledgerState, order, actor, CAUSE);
            return true;
        }
        if (step.kind().equals(StepKind.RETURNED.text())
                && (isReserved || order.status() == OrderStatus.CONFIRMED)) {
            Steps.giveBack(connection, ledgerState, order, actor, CAUSE);
            return true;
        }
        return false;
    }
}
