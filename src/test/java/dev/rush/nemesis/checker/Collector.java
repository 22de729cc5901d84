package dev.rush.nemesis.checker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.nemesis.Layout;
import dev.rush.nemesis.Topology;
import dev.rush.nemesis.client.Offer;
import dev.rush.order.BuyerRecord;
import dev.rush.testing.Api.Answer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads the final contents of both stores. */
public final class Collector {
    private static final List<String> ALARMS = List.of("rush_books_oversold", "rush_books_drift",
            "rush_books_lost_total", "rush_ledger_rejected_total", "rush_ledger_dead_letters",
            "rush_redis_sequence_lost_total", "rush_half_done_total");

    private Collector() {
    }

    /** Reads both stores. The caller names the sales that it had to repair. */
    public static Stored collect(Topology topology, List<Offer> offers, List<Offer> repaired)
            throws SQLException {
        Stored stored = new Stored();
        repaired.forEach(offer -> stored.repaired.add(offer.id()));
        try (Connection connection = topology.sql();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(10_000);
            readOrders(stored, statement);
            readItemsAndLosses(stored, statement);
        }
        stored.waiting.putAll(Layout.waiting(topology.redis()));
        for (Offer offer : offers) {
            Answer answer = topology.anyPod().asOperator().get(offer.path() + "/books");
            if (answer.status() == 404) {
                continue; // The offer was never prepared.
            }
            stored.books.put(offer.id(), books(offer, answer));
            if (!offer.isRain()) {
                stored.taken.put(offer.id(), Layout.taken(topology.redis(), offer));
                readEnded(stored, offer, Layout.buyerRecords(topology.redis(), offer));
            }
        }
        ALARMS.forEach(metric -> stored.alarms.put(metric, topology.metric(metric)));
        return stored;
    }

    private static void readEnded(Stored stored, Offer offer,
            Map<String, List<BuyerRecord.Line>> records) {
        records.forEach((user, lines) -> lines.stream().filter(line -> !line.isAccepted())
                .map(line -> new Stored.Order(UUID.fromString(line.order()), offer.id(), user,
                        line.key().isEmpty() ? null : line.key(), line.lines(), line.status(),
                        line.placedAt(), line.payBy()))
                .forEach(order -> stored.ended.put(order.id(), order)));
    }

    private static Stored.Books books(Offer offer, Answer answer) {
        JsonNode body = answer.body();
        String verdict = body.path("verdict").asText("status " + answer.status());
        boolean rain = offer.isRain();
        return new Stored.Books(verdict, rain ? body.at("/prepared/amount").asLong() : 0,
                rain ? body.at("/left/amount").asLong() : 0,
                rain ? body.at("/granted/amount").asLong() : 0, body.toString());
    }

    private static void readOrders(Stored stored, Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT id, sale, user_id, key, lines, status, "
                + "placed_at_ms, pay_by_ms FROM order_states")) {
            while (row.next()) {
                UUID id = row.getObject(1, UUID.class);
                stored.orders.put(id, new Stored.Order(id, row.getString(2).intern(),
                        row.getString(3).intern(), row.getString(4), row.getString(5).intern(),
                        row.getString(6).intern(), row.getLong(7), row.getLong(8)));
            }
        }
        try (ResultSet row = statement.executeQuery(
                "SELECT id, rain, user_id, key, number, nth, amount, 'confirmed' FROM grabs"
                + " UNION ALL SELECT id, rain, user_id, key, number, nth, amount, 'rejected'"
                + " FROM rejected_grabs")) {
            while (row.next()) {
                UUID id = row.getObject(1, UUID.class);
                stored.grabs.put(id, new Stored.Grab(id, row.getString(2).intern(),
                        row.getString(3).intern(), row.getString(4), row.getLong(5),
                        row.getLong(6), row.getLong(7), row.getString(8).intern()));
            }
        }
    }

    private static void readItemsAndLosses(Stored stored, Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT sale, sku, total, sold FROM items")) {
            while (row.next()) {
                stored.items.put(Stored.item(row.getString(1), row.getString(2)),
                        new Stored.Item(row.getLong(3), row.getLong(4)));
            }
        }
        try (ResultSet row = statement.executeQuery(
                "SELECT partition, sum(lost) FROM losses WHERE lost > 0 GROUP BY partition")) {
            while (row.next()) {
                stored.lost.put(row.getInt(1), row.getLong(2));
            }
        }
        try (ResultSet row = statement.executeQuery(
                "SELECT order_id FROM retries WHERE state = 'waiting'")) {
            while (row.next()) {
                stored.deadLetters.add(row.getString(1) == null ? new UUID(0, 0)
                        : UUID.fromString(row.getString(1)));
            }
        }
    }
}
