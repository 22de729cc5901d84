package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** The same of sales in three shards, on three masters. */
class CrowdShardsClusterIT extends CrowdSuite {
    @Override
    Environment environment() {
        return Environments.inShards(Environments.cluster());
    }
}
