package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S2, S4: partitions are spread evenly over the slots and hence over the masters. */
class PartitionsTest {
    private static final int SLOTS = 16_384;

    @Test
    @DisplayName("S4: for any number of partitions, each is in its own share of the slots")
    void eachPartitionIsInItsOwnShareOfTheSlots() {
        // Every small number, and some of the large ones, which are slow.
        for (int count = 1; count <= 1024; count += count < 128 ? 1 : 128) {
            Partitions partitions = new Partitions(count);
            assertThat(partitions.count()).isEqualTo(count);
            Set<String> tags = new HashSet<>();
            for (Partition partition : partitions.all()) {
                int first = (int) ((long) partition.index() * SLOTS / count);
                int next = (int) ((partition.index() + 1L) * SLOTS / count);
                int slot = dev.rush.testing.Slots.of(partition.key("x"));
                assertThat(first <= slot && slot < next && slot == partition.slot())
                        .as("%s of %d in slots %d to %d", partition, count, first, next - 1)
                        .isTrue();
                tags.add(partition.tag());
            }
            assertThat(tags).as("tags of %d partitions", count).hasSize(count);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 100, 256, 1000, 1024})
    @DisplayName("S4: masters that share the slots evenly share the partitions evenly")
    void mastersShareThePartitionsEvenly(int count) {
        for (int masters = 1; masters <= 16; masters++) {
            Map<Integer, Integer> perMaster = new HashMap<>();
            for (Partition partition : new Partitions(count).all()) {
                perMaster.merge(partition.slot() * masters / SLOTS, 1, Integer::sum);
            }
            assertThat(perMaster).hasSize(masters);
            assertThat(perMaster.values()).as("%d partitions on %d masters", count, masters)
                    .allMatch(size -> Math.abs(size - (double) count / perMaster.size()) <= 2);
        }
    }

    @Test
    @DisplayName("S4: sales spread over the partitions")
    void salesSpreadOverThePartitions() {
        Partitions partitions = new Partitions(64);
        Map<Integer, Integer> sales = new HashMap<>();
        for (int i = 0; i < 64_000; i++) {
            sales.merge(partitions.of("sale-" + i).index(), 1, Integer::sum);
        }
        assertThat(sales).hasSize(64);
        assertThat(sales.values()).allMatch(count -> count > 800 && count < 1_200);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    @DisplayName("S4: as many shards as masters are on different masters, for nearly every sale")
    void shardsAreOnDifferentMasters(int masters) {
        Partitions partitions = new Partitions(64);
        int apart = 0;
        for (int i = 0; i < 1_000; i++) {
            Shards shards = partitions.shards("sale-" + i, masters);
            assertThat(shards.partitions()).doesNotHaveDuplicates()
                    .first().isEqualTo(partitions.of("sale-" + i));
            apart += shards.partitions().stream()
                    .map(shard -> shard.slot() * masters / SLOTS).distinct().count() == masters
                    ? 1 : 0;
        }
        assertThat(apart).isGreaterThan(900);
        assertThat(partitions.shards("x", 64).partitions()).doesNotHaveDuplicates().hasSize(64);
    }

    @Test
    @DisplayName("S4: users spread over the shards, and a user's home never changes")
    void homeOfAUserNeverChanges() {
        Shards shards = new Partitions(64).shards("apple-day", 3);
        List<Integer> users = new ArrayList<>(List.of(0, 0, 0));
        for (int i = 0; i < 30_000; i++) {
            users.set(shards.home("user-" + i), users.get(shards.home("user-" + i)) + 1);
        }
        assertThat(users).allMatch(count -> count > 9_500 && count < 10_500);
        assertThat(List.of(shards.home("711"), shards.home("712"), shards.home("u1")))
                .isEqualTo(List.of(2, 0, 2));
        assertThat(shards.of("711")).isEqualTo(shards.get(shards.home("711")));
    }

    @Test
    @DisplayName("S2: the partition of a sale never changes, because its data is there already")
    void partitionOfASaleNeverChanges() {
        Partitions partitions = new Partitions(64);
        assertThat(partitions.of("apple-day").key("sale:apple-day:stock"))
                .isEqualTo("rush:{p15.163}:sale:apple-day:stock");
        assertThat(partitions.all().get(0).tag()).isEqualTo("p00.110");
        assertThat(partitions.all().get(63).slot()).isEqualTo(16_347);
    }

    @Test
    @DisplayName("S2: no id moves a key out of its partition's slot")
    void noIdMovesASlot() {
        Partition partition = new Partitions(64).of("x");
        for (String name : new String[] {"sale:x:conf", "sale:{p01}:conf", "}{", "{}", ""}) {
            assertThat(dev.rush.testing.Slots.of(partition.key(name))).isEqualTo(partition.slot());
            assertThat(Slots.of(partition.key(name))).isEqualTo(partition.slot());
        }
    }
}
