package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Standing;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import dev.rush.order.BuyerRecord;
import dev.rush.reconciliation.repair.Evidence.Told;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Steps of orders that the ledger has and whose steps it lost, as far as Redis knows them. */
@Singleton
class RefilledSteps {

    private static final Actor ACTOR = Actor.service("refill");
    private static final String CAUSE = "refilled from Redis";
    private static final String EXPIRED = "e";
    private static final String RETURNED = "c";
    private static final String PART = "500";
    private static final String END = "0";

    private final Ledger ledger;
    private final RedisCommands redis;

    @Inject
    RefilledSteps(Ledger ledger, RedisCommands redis) {
        this.ledger = ledger;
        this.redis = redis;
    }

    /** Ends orders of a sale whose units Redis has back. Returns how many. */
    long ended(String sale, int month, Partition partition) {
        long ended = 0;
        String cursor = END;
        do {
            Reply part = redis.read("HSCAN", partition.keys().sale(sale, "buyers"),
                    cursor, "COUNT", PART).join();
            cursor = part.at(0).text();
            List<BuyerRecord.Line> lines = new ArrayList<>();
            part.at(1).pairs().forEach((user, record) -> BuyerRecord.lines(record).stream()
                    .filter(line -> line.state().equals(EXPIRED) || line.state().equals(RETURNED))
                    .forEach(lines::add));
            if (!lines.isEmpty()) {
                ended += ledger.transact((connection, standing) ->
                        end(connection, standing, month, lines));
            }
        } while (!cursor.equals(END));
        return ended;
    }

    private static int end(Connection connection, Standing standing, int month,
            List<BuyerRecord.Line> lines) throws SQLException {
        int ended = 0;
        for (BuyerRecord.Line line : lines) {
            Order order = OrderRows.find(connection, month, UUID.fromString(line.order()));
            boolean isReserved = order != null && order.status() == OrderStatus.RESERVED;
            if (isReserved && line.state().equals(EXPIRED)) {
                Steps.expire(connection, standing, order, ACTOR, CAUSE);
                ended++;
            } else if (line.state().equals(RETURNED) && (isReserved
                    || order != null && order.status() == OrderStatus.CONFIRMED)) {
                Steps.giveBack(connection, standing, order, ACTOR, CAUSE);
                ended++;
            }
        }
        return ended;
    }

    /** Takes steps that clients were told of once more. Returns how many were taken. */
    long told(Evidence evidence) {
        long told = 0;
        // The newest stands first.
        for (int i = evidence.told().size() - 1; i >= 0; i--) {
            Told step = evidence.told().get(i);
            told += ledger.transact((connection, standing) ->
                    take(connection, standing, step)) ? 1 : 0;
        }
        return told;
    }

    /** Steps that cannot be taken, because the order is gone too, are no evidence any longer. */
    void forget(Evidence evidence) {
        if (!ledger.transact((connection, standing) ->
                Evidence.missing(connection, List.of(evidence))).isEmpty()) {
            for (String list : List.of("told", "expired")) {
                Keys key = evidence.partition().keys().named(list);
                redis.command("LPUSH", key, "").join();
                redis.command("LTRIM", key, "0", "0").join();
            }
        }
    }

    private static boolean take(Connection connection, Standing standing, Told step)
            throws SQLException {
        Order order = OrderRows.find(connection, step.month(), step.order());
        if (order == null || order.step() != step.step() - 1) {
            return false;
        }
        Actor actor = new Actor(step.actor());
        boolean isReserved = order.status() == OrderStatus.RESERVED;
        if (step.kind().equals(StepKind.CONFIRMED.text()) && isReserved) {
            Steps.confirm(connection, standing, order, actor, step.payment());
            return true;
        }
        if (step.kind().equals(StepKind.EXPIRED.text()) && isReserved) {
            Steps.expire(connection, standing, order, actor, CAUSE);
            return true;
        }
        if (step.kind().equals(StepKind.RETURNED.text())
                && (isReserved || order.status() == OrderStatus.CONFIRMED)) {
            Steps.giveBack(connection, standing, order, actor, CAUSE);
            return true;
        }
        return false;
    }
}
