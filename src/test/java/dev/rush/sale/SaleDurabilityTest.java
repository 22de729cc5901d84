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

/** D1: the level of a sale of which a pod has no view is that of its shards. */
class SaleDurabilityTest {
    private static final ShardState LOST = new ShardState(0, Map.of(), Map.of(), Map.of());

    private static ShardState asking(String durability) {
        return new ShardState(0, Map.of("definition", "{\"durability\":\"" + durability + "\"}"),
                Map.of(), Map.of());
    }

    private static Durability level(boolean replicable, ShardState... states) {
        return new SaleViewCache.Maker(new Partitions(64),
                new Durabilities(Durability.REDIS, replicable, true), new Json())
                .durability(new ShardScan(Arrays.asList(states)));
    }

    @Test
    @DisplayName("D1: any shard that answers tells the level")
    void levelIsThatOfAShardThatAnswers() {
        assertThat(level(true, null, LOST, asking("replicas"))).isEqualTo(Durability.REPLICAS);
        assertThat(level(true, asking("redis"), null)).isEqualTo(Durability.REDIS);
    }

    @Test
    @DisplayName("D1: where no shard tells it, the strongest that is possible holds")
    void unknownLevelIsTheStrongest() {
        assertThat(level(true, null, LOST)).isEqualTo(Durability.REPLICAS);
        assertThat(level(false, null, LOST)).isEqualTo(Durability.REDIS);
    }
}
