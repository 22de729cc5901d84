package dev.rush.reconciliation.repair;

import dev.rush.ledger.Ledger;
import dev.rush.order.BuyerRecord;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.reconciliation.report.StoredGrabs;
import dev.rush.reconciliation.report.StoredOrders;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds orders or grabs of one sale or rain that a partition's records have, and that neither the
 * stream nor the ledger nor the dead letters have.
 */
final class RecordScan {

    /** Maximum number of lost ones that are collected before {@link #next} returns. */
    static final int FOUND_MAX = 10_000;
    private static final String PART = "500";
    /** The cursor with which a scan starts, and which it returns at its end. */
    private static final String START = "0";

    private final Ledger ledger;
    private final RedisCommands redis;
    private final StreamScan streams;
    private final Kind kind;
    private final String offer;
    private final int month;
    private final Partition partition;
    private String cursor = START;
    private boolean isOver;

    RecordScan(Ledger ledger, RedisCommands redis, StreamScan streams, Kind kind, String offer,
            int month, Partition partition) {
        this.ledger = ledger;
        this.redis = redis;
        this.streams = streams;
        this.kind = kind;
        this.offer = offer;
        this.month = month;
        this.partition = partition;
    }

    /** What is looked for, and where. */
    enum Kind {
        /** Accepted orders. */
        ORDER("purchase"),
        /** Orders that expired or were returned, and whose units were credited. */
        ENDED("purchase"),
        GRAB("grab");

        /** As in the stream. */
        final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The hash of records by user. */
        Keys records(Partition partition, String offer) {
            return this == GRAB ? partition.keys().rain(offer, "takers")
                    : partition.keys().sale(offer, "buyers");
        }

        /** The ids in a user's record that the ledger should have. */
        private Stream<String> ids(String record) {
            return this == GRAB ? record.lines().map(line -> line.split(" ", 2)[0])
                    : BuyerRecord.lines(record).stream()
                            .filter(this == ORDER ? Line::isAccepted : Line::isCredited)
                            .map(Line::order);
        }

        /** The ids among these that the ledger has. */
        private Set<String> stored(Connection connection, int month, Collection<String> ids)
                throws SQLException {
            return this == GRAB ? StoredGrabs.of(connection, month, ids)
                    : StoredOrders.of(connection, month, ids);
        }
    }

    /** Whether there are no more. */
    boolean isOver() {
        return isOver;
    }

    /** Finds the next ones, and returns their users by their ids. */
    Map<String, String> next() {
        Map<String, String> lost = new HashMap<>();
        do {
            Reply part = redis.read("HSCAN", kind.records(partition, offer), cursor, "COUNT", PART)
                    .join();
            cursor = part.at(0).word();
            isOver = cursor.equals(START);
            Map<String, String> read = new HashMap<>();
            part.at(1).pairs().forEach((user, record) ->
                    kind.ids(record).forEach(id -> read.put(id, user)));
            removeStored(read);
            lost.putAll(read);
        } while (!isOver && lost.size() < FOUND_MAX);
        removeKnown(lost);
        return lost;
    }

    private void removeKnown(Map<String, String> lost) {
        if (lost.isEmpty()) {
            return;
        }
        // An order leaves the stream once the ledger has it, so the ledger is read after the
        // stream.
        streams.removeWaiting(
                partition, kind.text, offer, streams.last(partition), lost.keySet());
        // A failed order is stored in the transaction that removes it from the failed ones.
        lost.keySet().removeAll(ledger.transact((connection, ledgerState) ->
                FailedOrders.ids(connection, kind.text, offer)));
        removeStored(lost);
    }

    private void removeStored(Map<String, String> found) {
        if (!found.isEmpty()) {
            found.keySet().removeAll(ledger.transact((connection, ledgerState) ->
                    kind.stored(connection, month, found.keySet())));
        }
    }
}
