package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.offer.Durabilities;
import dev.rush.redis.Partitions;
import dev.rush.sale.shard.ShardScan;
import dev.rush.sale.shard.ShardState;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D1: the durability of a sale that the pod has no view of comes from its shards. */
class SaleDurabilityTest {
    private static final ShardState LOST = new ShardState(0, Map.of(), Map.of(), Map.of());

    private static ShardState shardWith(String durability) {
        return new ShardState(0, Map.of("definition", "{\"durability\":\"" + durability + "\"}"),
                Map.of(), Map.of());
    }

    private static Durability level(boolean replicable, ShardState... states) {
        return new SaleViewCache.ViewFactory(new Partitions(64),
                new Durabilities(Durability.REDIS, replicable, true), new Json())
                .durability(new ShardScan(Arrays.asList(states)));
    }

    @Test
    @DisplayName("D1: any shard that answers determines the level")
    void levelIsThatOfAShardThatAnswers() {
        assertThat(level(true, null, LOST, shardWith("replicas"))).isEqualTo(Durability.REPLICAS);
        assertThat(level(true, shardWith("redis"), null)).isEqualTo(Durability.REDIS);
    }

    @Test
    @DisplayName("D1: if no shard does, the strongest possible level applies")
    void unknownLevelIsTheStrongest() {
        assertThat(level(true, null, LOST)).isEqualTo(Durability.REPLICAS);
        assertThat(level(false, null, LOST)).isEqualTo(Durability.REDIS);
    }
}
