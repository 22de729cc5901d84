package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** The same of sales in three shards on one Redis. */
class GuardShardsIT extends GuardSuite {
    @Override
    Environment environment() {
        return Environments.inShards(Environments.single());
    }
}
