package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Scene;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What the SQL of leases promises where a writer cannot read what its share is, as scenes. */
final class LeaseSqlScenes {

    private final TestLedger test;

    LeaseSqlScenes(TestLedger test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I15: what nobody takes for a lease is taken beyond the share", this::leftovers);
        return all;
    }

    private void lapse() {
        test.sql("UPDATE leases SET until = 'epoch'");
        test.sql("DELETE FROM writers");
    }

    private void leftovers() {
        int half = test.partitions.count() / 2;
        Set<Integer> unreadable = new HashSet<>();
        Leases refusing = test.leases(unreadable);
        Leases other = test.leases();
        lapse();
        refusing.renew();
        other.renew();
        Set<Integer> readable = new HashSet<>(refusing.renew().keySet());
        Map<Integer, Long> share = other.renew();
        assertThat(readable).hasSize(half);
        assertThat(share).hasSize(half);
        int given = readable.iterator().next();
        unreadable.add(given);
        readable.remove(given);
        assertThat(refusing.renew()).containsOnlyKeys(readable);
        assertThat(other.renew()).as("it is not free for long").isEqualTo(share);

        test.sql("UPDATE leases SET until = until - interval '1 hour' WHERE holder = ''");
        assertThat(refusing.renew()).containsOnlyKeys(readable);
        Map<Integer, Long> more = other.renew();
        assertThat(more).hasSize(half + 1).containsAllEntriesOf(share).containsKey(given);
        assertThat(other.renew()).as("it is kept").isEqualTo(more);
        assertThat(refusing.renew()).containsOnlyKeys(readable);

        assertThat(test.leases().renew()).as("a third writer waits").isEmpty();
        assertThat(other.renew()).as("and gets what is above the share")
                .hasSize((test.partitions.count() + 2) / 3);
        lapse();
    }
}
