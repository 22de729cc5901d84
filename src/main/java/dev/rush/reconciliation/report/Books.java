package dev.rush.reconciliation.report;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Times;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Months;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.Sums.Column;
import dev.rush.reconciliation.report.SaleBooks.Item;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reconciliation of a sale. Redis is read at one instant, then the ledger's sums at a later one: an
 * order leaves the stream only once the ledger has it, so once the stream's head has passed Redis's
 * instant, the ledger has each that Redis had accepted by then. Otherwise the stream is read up to
 * that instant instead. Orders that Redis accepted later are recognized by number and time.
 *
 * <p>Each shard of a sale is compared at its own instant, and the sums are the sale's: no order
 * moves from one shard to another, only free units do.
 */
@Singleton
public class Books {

    static final String TOO_BUSY =
            "Too much was sold while the books were being read; try again.";

    private final Ledger ledger;
    private final OfferCache offers;
    private final SaleSnapshots snapshots;
    private final StreamScan streams;

    @Inject
    Books(Ledger ledger, OfferCache offers, SaleSnapshots snapshots, StreamScan streams) {
        this.ledger = ledger;
        this.offers = offers;
        this.snapshots = snapshots;
        this.streams = streams;
    }

    /**
     * The data of a sale that is read before the ledger's final sums.
     *
     * @param before  the ledger's sums before Redis was read
     * @param waiting by shard: order → lines, of the stream up to the instant of Redis
     */
    record Reading(SaleSnapshot redis, Map<Place, Units> before,
            List<Map<String, String>> waiting) {

        private List<BookSums.Shard> shards() {
            List<BookSums.Shard> shards = new ArrayList<>();
            for (int i = 0; i < waiting.size(); i++) {
                SaleSnapshot.Shard shard = redis.shards().get(i);
                shards.add(new BookSums.Shard(shard.partition().index(), shard.isLoaded()
                        ? shard.seq() : BookSums.Shard.NONE_AFTER, shard.redisMs(),
                        waiting.get(i)));
            }
            return shards;
        }
    }

    /**
     * The books of a sale with their drifts.
     *
     * @param drifts by shard and sku
     * @param known  the sums from which they were computed
     */
    public record Reckoning(SaleBooks books, List<Map<String, Long>> drifts, SaleSums known) {

        /**
         * Whether there were too many later orders to report a drift; a lost sale can always be
         * reported.
         */
        boolean isUnsure() {
            return known.full() && books.verdict() != Verdict.NOT_LOADED;
        }
    }

    /** The books of a sale; null if the ledger has no such sale loaded. Waits for both stores. */
    public @Nullable SaleBooks of(String sale) {
        Reckoning reckoning = reckon(sale);
        return reckoning == null ? null : reckoning.books;
    }

    /**
     * As {@link #of}, with the drift of each shard.
     *
     * @throws ProblemException {@code unavailable} if too many orders came since Redis was read
     */
    public @Nullable Reckoning reckon(String sale) {
        Map<Place, Units> before = ledger.transact((connection, ledgerState) ->
                BookSums.sums(connection, List.of(sale))).getOrDefault(sale, Map.of());
        Shards shards = offers.shards(offers.readSale(sale), sale);
        SaleSnapshot redis = snapshots.of(sale, shards).join();
        List<Map<String, String>> waiting = redis.shards().stream().map(shard ->
                streams.read(shard.partition(), "purchase", sale, shard.last())).toList();
        Reckoning found = reckon(Map.of(sale, new Reading(redis, before, waiting))).get(sale);
        if (found != null && found.isUnsure()) {
            throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE, TOO_BUSY));
        }
        return found;
    }

    /** The books of sales, from one read of the ledger, without those that are not loaded. */
    Map<String, Reckoning> reckon(Map<String, Reading> readings) {
        return ledger.readSnapshot((connection, ledgerState) -> {
            Map<String, List<BookSums.Shard>> shards = new LinkedHashMap<>();
            readings.forEach((sale, reading) -> shards.put(sale, reading.shards()));
            Map<String, Reckoning> found = new HashMap<>();
            for (Map.Entry<String, SaleSums> sale : BookSums.read(
                    connection, shards, Months.live(connection)).entrySet()) {
                SaleSums known = sale.getValue();
                Reading reading = Objects.requireNonNull(readings.get(sale.getKey()));
                if (known.isRetired()) {
                    found.put(sale.getKey(), retired(sale.getKey(), reading.redis, known));
                } else if (known.isLoaded()) {
                    found.put(sale.getKey(), loaded(sale.getKey(), reading, known,
                            Reservations.held(connection, sale.getKey())));
                }
            }
            return found;
        });
    }

    /** The final books of a sale that was retired with balanced books. */
    private static Reckoning retired(String sale, SaleSnapshot redis, SaleSums known) {
        List<Item> items = new ArrayList<>();
        known.items().forEach((sku, item) -> {
            Units sum = known.sum(sku);
            long rejected = sum.of(Column.REJECTED) - sum.of(Column.SETTLED);
            long ordered = sum.of(Column.RESERVED) + sum.of(Column.CONFIRMED) + rejected;
            items.add(new Item(sku, item.total(), Math.max(0, item.total() - ordered), ordered,
                    sum.of(Column.RESERVED), sum.of(Column.CONFIRMED), rejected, 0, 0, 0, 0, 0,
                    Verdict.BALANCED, item.total()));
        });
        return new Reckoning(new SaleBooks(sale, Times.formatted(redis.redisMs()), Verdict.BALANCED,
                known.lost(), true, 0, List.copyOf(items)), List.of(), known);
    }

    private static Reckoning loaded(String sale, Reading reading, SaleSums known, long held) {
        List<Map<String, Long>> drifts = new ArrayList<>();
        reading.redis.shards().forEach(shard -> drifts.add(new LinkedHashMap<>()));
        List<Item> items = new ArrayList<>();
        Verdict worst = reading.redis.isLoaded() ? Verdict.BALANCED : Verdict.NOT_LOADED;
        for (String sku : known.items().keySet()) {
            Item item = item(sku, reading, known, drifts);
            items.add(item);
            worst = worst.orWorse(item.verdict());
        }
        return new Reckoning(new SaleBooks(sale, Times.formatted(reading.redis.redisMs()), worst,
                known.lost(), false, held, List.copyOf(items)), drifts, known);
    }

    private static Item item(String sku, Reading reading, SaleSums known,
            List<Map<String, Long>> drifts) {
        SaleSnapshot redis = reading.redis;
        boolean isLoaded = redis.isLoaded()
                && redis.shards().stream().allMatch(shard -> shard.has(sku));
        long ledgerTotal = known.item(sku).total();
        long total = 0;
        long ordered = 0;
        long owed = 0;
        long inStream = 0;
        long failed = 0;
        Units sum = Units.NONE;
        for (int i = 0; i < drifts.size(); i++) {
            SaleSnapshot.Shard shard = redis.shards().get(i);
            Place place = new Place(shard.partition().index(), sku);
            BookFormula formula = known.formula(place,
                    reading.before.getOrDefault(place, Units.NONE).of(Column.CREDITED),
                    shard.counter(sku, "ordered"), shard.counter(sku, "credited"));
            drifts.get(i).put(sku, formula.drift());
            sum = sum.plus(formula.untilRead());
            owed += formula.owed();
            inStream += formula.waiting();
            failed += formula.failed();
            total += shard.counter(sku, "total");
            ordered += shard.counter(sku, "ordered");
        }
        long drift = drifts.stream().mapToLong(shard -> shard.get(sku)).sum();
        long inTransfer = redis.inTransfer(sku);
        long whole = isLoaded ? total + inTransfer : ledgerTotal;
        Verdict verdict = !isLoaded ? Verdict.NOT_LOADED
                : Verdict.ofDrift(drift).orWorse(Verdict.ofDrift(ledgerTotal - whole))
                        .orWorse(Verdict.ofDrift(known.ownDrift(sku)));
        return new Item(sku, whole, isLoaded ? total - ordered : 0, ordered,
                sum.of(Column.RESERVED), sum.of(Column.CONFIRMED),
                sum.of(Column.REJECTED) - sum.of(Column.SETTLED), owed, inStream, failed,
                inTransfer, drift, verdict, ledgerTotal);
    }
}
