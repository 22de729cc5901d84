package dev.rush.reconciliation.report;

import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/** The parts of the report, wired as in the service. */
public final class ReportParts {
    public final OfferCache offers;
    public final StreamScan streams;
    public final Books books;
    public final RainBooks rains;
    public final Recounts recounts;
    final SaleSnapshots snapshots;

    public ReportParts(TestJournal test, RedisCommands redis, Partitions partitions,
            LeaderLease lease) {
        offers = test.offers(partitions);
        streams = new StreamScan(redis, test.config);
        snapshots = new SaleSnapshots(redis);
        books = new Books(test.ledger, offers, snapshots, streams);
        rains = new RainBooks(test.ledger, redis, partitions, streams);
        recounts = new Recounts(test.ledger, lease, Duration.ofHours(1),
                new SimpleMeterRegistry());
    }
}
