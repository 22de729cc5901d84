package dev.rush.nemesis;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.fault.Nodes;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Waits until both stores are quiescent after all faults, and repairs unbalanced sales. */
final class Healing {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int REPAIR_ROUNDS = 3;
    /** Several, because each repair waits for the deadline of pending calls. */
    private static final int OPERATORS = 8;
    /** A report reads the stores one after the other, so one unbalanced report proves nothing. */
    private static final int REPORTS = 2;
    private static final long DUE_WITHIN_MS = 600_000;

    private Healing() {
    }

    /** Returns the sales that had to be repaired, once for each repair. */
    static List<Offer> heal(Topology topology, List<Offer> offers) {
        Nodes.heal(topology);
        topology.awaitPods();
        System.out.println("all nodes are healthy; waiting until both stores are quiescent");
        Await.until("all streams are drained", LIMIT,
                () -> Layout.waiting(topology.redis()).isEmpty(),
                () -> Layout.waiting(topology.redis()).toString());
        awaitNone(topology, "partitions are behind Redis",
                "partitions WHERE behind_since IS NOT NULL");
        awaitNone(topology, "losses are not counted",
                "losses WHERE lost IS NULL OR restored_at IS NULL");
        List<Offer> repaired = new ArrayList<>();
        for (int i = 0; i < REPAIR_ROUNDS; i++) {
            repaired.addAll(repair(topology, unbalanced(topology, offers)));
        }
        // Credits to a sale that Redis had lost succeed only after its repair. A return of an order
        // that was lost stays parked until an operator decides.
        awaitNone(topology, "returns are parked",
                "returns WHERE state = 'parked' AND reason NOT LIKE 'No store knows%'");
        // Orders from a Redis whose clock was an hour ahead remain payable for that hour.
        awaitNone(topology, "orders are reserved and due",
                "reservations WHERE NOT held"
                        + " AND pay_by_ms < extract(epoch FROM now()) * 1000 + " + DUE_WITHIN_MS);
        awaitNone(topology, "units are owed to Redis", "credits");
        repaired.addAll(repair(topology, unbalanced(topology, offers)));
        return repaired;
    }

    private static List<Offer> unbalanced(Topology topology, List<Offer> offers) {
        return offers.stream().filter(offer -> !offer.isRain())
                .filter(offer -> IntStream.range(0, REPORTS)
                        .noneMatch(report -> isBalanced(topology, offer)))
                .toList();
    }

    private static boolean isBalanced(Topology topology, Offer offer) {
        AtomicReference<Answer> report = new AtomicReference<>();
        Await.until("books of " + offer.id(), LIMIT, () -> {
            report.set(topology.anyPod().asOperator().get(offer.path() + "/books"));
            return report.get().status() == 200 || report.get().status() == 404;
        }, () -> String.valueOf(report.get()));
        JsonNode books = report.get().body();
        boolean balanced = report.get().status() == 404
                || books.path("verdict").asText().equals("balanced");
        if (!balanced) {
            System.out.println("unbalanced: " + books);
        }
        return balanced;
    }

    /** Repairs sales concurrently, each until the call succeeds or the sale is unknown. */
    static List<Offer> repair(Topology topology, List<Offer> offers) {
        ExecutorService operators = Executors.newFixedThreadPool(OPERATORS);
        try {
            CompletableFuture.allOf(offers.stream().map(offer -> CompletableFuture.runAsync(
                            () -> repair(topology, offer), operators))
                    .toArray(CompletableFuture[]::new)).join();
        } finally {
            operators.shutdownNow();
        }
        return offers;
    }

    private static void repair(Topology topology, Offer offer) {
        AtomicReference<Answer> answer = new AtomicReference<>();
        Await.until(offer.id() + " is repaired", LIMIT, () -> {
            answer.set(topology.anyPod().asOperator().post(offer.path() + "/books/repair"));
            return answer.get().status() == 200 || answer.get().status() == 404;
        }, () -> String.valueOf(answer.get()));
    }

    private static void awaitNone(Topology topology, String state, String rows) {
        System.out.println("  " + count(topology, rows) + " " + state);
        Await.until("no " + state, LIMIT, () -> count(topology, rows) == 0,
                () -> count(topology, rows) + " " + state + ", such as " + value(topology,
                        "SELECT string_agg(sample::text, '; ') FROM (SELECT * FROM " + rows
                                + " LIMIT 5) sample"));
    }

    private static long count(Topology topology, String rows) {
        return Long.parseLong(value(topology, "SELECT count(*) FROM " + rows));
    }

    private static String value(Topology topology, String sql) {
        try (Connection connection = topology.sql();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
