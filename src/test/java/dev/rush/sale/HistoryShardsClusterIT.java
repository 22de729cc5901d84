package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** The same of sales in three shards, on three masters. */
class HistoryShardsClusterIT extends HistorySuite {
    @Override
    Environment environment() {
        return Environments.inShards(Environments.cluster());
    }
}
