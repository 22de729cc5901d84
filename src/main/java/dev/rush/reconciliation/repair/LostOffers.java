package dev.rush.reconciliation.repair;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.RainRows;
import dev.rush.ledger.RefilledOffers;
import dev.rush.ledger.SaleRows;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.SaleDefinition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Sales and rains that are on sale in Redis and that the ledger lacks, because it lost the commits
 * of their preparation. They are stored again as Redis has them; their stock is not touched.
 */
@Singleton
class LostOffers {

    private static final Logger LOG = Logger.getLogger(LostOffers.class);
    private static final Actor ACTOR = Actor.service("refill");
    /** Maximum difference between Redis's clock and the ledger's, which determines the month. */
    private static final Duration CLOCK_SKEW_MAX = Duration.ofHours(3);
    private static final List<String> CONF = List.of("definition", "loading", "paused",
            "closed_at", "closes_at", "control", "created_at", "release", "month", "count",
            "amount", "limit");
    private static final String VERSION = ":version";
    private static final Sql SHARDS = Sql.named("shards-to-refill", """
            UPDATE partitions SET behind_since = now(), defers = true
            WHERE partition = ANY (?) AND behind_since IS NULL""");

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Json json;

    @Inject
    LostOffers(Ledger ledger, RedisCommands redis, Partitions partitions, Json json) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.json = json;
    }

    /**
     * A sale or rain that the ledger lacks, or has only as being prepared.
     *
     * @param partition that lists it
     * @param conf      its terms and state in Redis
     */
    record Lost(Partition partition, boolean isSale, String id, Map<String, String> conf) {

        /**
         * Whether a ledger has released it, as recorded in Redis. If it was prepared without a
         * ledger, the ledger did not lose it.
         */
        boolean wasReleased() {
            return conf.containsKey("definition") && !conf.containsKey("loading")
                    && conf.containsKey("release") && isMonth();
        }

        private boolean isMonth() {
            try {
                Instant at = Instant.ofEpochMilli(number("created_at"));
                long month = number("month");
                return month == month(at.minus(CLOCK_SKEW_MAX))
                        || month == month(at.plus(CLOCK_SKEW_MAX));
            } catch (RuntimeException e) {
                return false; // Not written by Rush.
            }
        }

        private static int month(Instant at) {
            ZonedDateTime time = at.atZone(ZoneOffset.UTC);
            return time.getYear() * 100 + time.getMonthValue();
        }

        /**
         * The value of a field.
         *
         * @throws IllegalArgumentException if Redis does not have it
         */
        private String text(String field) {
            String value = conf.get(field);
            if (value == null) {
                throw new IllegalArgumentException("its " + field + " is missing");
            }
            return value;
        }

        private long number(String field) {
            return Long.parseLong(text(field));
        }

        private RefilledOffers.State state() {
            return new RefilledOffers.State((int) number("month"), text("release"),
                    text("paused").equals("1"), number("closed_at"),
                    Long.parseLong(conf.getOrDefault("control", "0")), number("created_at"));
        }
    }

    /** All sales and rains in these partitions that are not released in the ledger. */
    List<Lost> in(Collection<Evidence> evidence) {
        Set<String> sales = new HashSet<>();
        Set<String> rains = new HashSet<>();
        evidence.forEach(one -> sales.addAll(one.sales()));
        evidence.forEach(one -> rains.addAll(one.rains()));
        if (!sales.isEmpty()) {
            sales.retainAll(ledger.transact((connection, ledgerState) ->
                    Set.copyOf(RefilledOffers.unknownSales(connection, sales))));
        }
        if (!rains.isEmpty()) {
            rains.retainAll(ledger.transact((connection, ledgerState) ->
                    Set.copyOf(RefilledOffers.unknownRains(connection, rains))));
        }
        List<Lost> lost = new ArrayList<>();
        for (Evidence one : evidence) {
            Partition in = one.partition();
            one.sales().stream().filter(sales::contains).forEach(sale -> lost.add(
                    new Lost(in, true, sale, fields(in.keys().sale(sale, "conf"), CONF))));
            one.rains().stream().filter(rains::contains).forEach(rain -> lost.add(
                    new Lost(in, false, rain, fields(in.keys().rain(rain, "conf"), CONF))));
        }
        return lost;
    }

    /** The values of those fields that exist. */
    private Map<String, String> fields(Keys hash, List<String> names) {
        Reply values = redis.read("HMGET", hash, names.toArray(String[]::new)).join();
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            if (!values.at(i).isNull()) {
                fields.put(names.get(i), values.at(i).text());
            }
        }
        return fields;
    }

    /** Stores a sale or rain again, if Redis has all that it needs. */
    void store(Lost offer) {
        try {
            if (offer.isSale) {
                storeSale(offer);
            } else {
                storeRain(offer);
            }
        } catch (IllegalArgumentException | ProblemException e) {
            LOG.errorf("%s cannot be stored again from Redis: %s", offer.id,
                    e.getMessage());
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            LOG.errorf("The ledger refuses %s as Redis has it: %s", offer.id, e.getMessage());
        }
    }

    private void storeSale(Lost sale) {
        String text = sale.text("definition");
        SaleDefinition definition =
                json.read(text.getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
        require(definition.shards() >= 1 && definition.shards() <= partitions.count(), "shards");
        Shards shards = partitions.shards(sale.id, definition.shards());
        require(shards.first().equals(sale.partition), "partition");
        String total = shards.isSplit() ? ":whole" : ":total";
        List<RefilledOffers.Item> items = items(definition, total,
                fields(sale.partition.keys().sale(sale.id, "stock"), definition.items().stream()
                        .map(SaleDefinition.Item::sku)
                        .flatMap(sku -> Stream.of(sku + total, sku + VERSION)).toList()));
        List<Integer> indexes = shards.partitions().stream().map(Partition::index).toList();
        SaleRows.Terms terms = new SaleRows.Terms(sale.id, indexes, text,
                definition.returnRestoresLimit(), definition.paymentWindow(),
                definition.ordersPerUser(), definition.closesAt(), List.of());
        store(sale, text, (connection, ledgerState) -> {
            boolean isStored = RefilledOffers.sale(connection, terms, items, sale.state());
            if (isStored) {
                // Until now, orders in other shards belonged to an unknown sale.
                SHARDS.update(connection, SqlArray.integers(indexes));
            }
            return isStored;
        });
    }

    /** With the current totals; the first shard has the total of all shards. */
    private static List<RefilledOffers.Item> items(SaleDefinition definition, String total,
            Map<String, String> stock) {
        return definition.items().stream().map(item -> {
            String units = stock.get(item.sku() + total);
            require(units != null, "stock");
            return new RefilledOffers.Item(item.sku(), Long.parseLong(units),
                    item.limitPerUser(),
                    Long.parseLong(stock.getOrDefault(item.sku() + VERSION, "0")));
        }).toList();
    }

    private void storeRain(Lost rain) {
        String text = rain.text("definition");
        json.read(text.getBytes(StandardCharsets.UTF_8), JsonNode.class);
        require(partitions.of(rain.id).equals(rain.partition), "partition");
        RainRows.Terms terms = new RainRows.Terms(rain.id, rain.partition.index(), text,
                rain.number("count"), rain.number("amount"), rain.number("limit"),
                rain.number("closes_at"));
        store(rain, text, (connection, ledgerState) ->
                RefilledOffers.rain(connection, terms, rain.state()));
    }

    private void store(Lost offer, String definition, Ledger.Work<Boolean> rows) {
        boolean isNew = ledger.transact((connection, ledgerState) -> {
            boolean isStored = rows.on(connection, ledgerState);
            if (isStored) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR,
                        (offer.isSale ? "sale" : "rain") + ".refilled", offer.id, null,
                        new RawValue(definition), null);
            }
            return isStored;
        });
        if (isNew) {
            LOG.warnf("The ledger had lost %s, which was stored again as Redis has it", offer.id);
        }
    }

    private static void require(boolean isValid, String field) {
        if (!isValid) {
            throw new IllegalArgumentException("its " + field + " is missing or wrong");
        }
    }
}
