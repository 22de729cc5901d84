package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** The promises of the SQL of leases, each as a scene. */
final class LeaseSqlScenes {
    private static final int COUNT = 8;
    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestJournal test;

    LeaseSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I15: nobody else takes a valid lease", this::living);
        all.put("I15: a partition that stays free is taken beyond the share", this::leftovers);
        all.put("I15: renewing waits for no batch", this::renewing);
        all.put("I15: a partition changes hands only between batches", this::hands);
        all.put("I15: a running renewal takes nothing once the leases are released",
                this::released);
        all.put("I15: a leader lease belongs to one pod until it lapses", this::lead);
        return all;
    }

    private PartitionLeases leases() {
        return leases(Set.of());
    }

    private PartitionLeases leases(Set<Integer> refused) {
        return new PartitionLeases(test.ledger, new Partitions(COUNT), () -> refused,
                test.config);
    }

    private void lapse() {
        test.sql("UPDATE leases SET until = 'epoch'");
        test.sql("DELETE FROM writers");
    }

    private void living() {
        PartitionLeases first = leases();
        PartitionLeases second = leases();
        lapse();
        Map<Integer, Long> all = first.renew();
        assertThat(all).hasSize(COUNT);
        assertThat(first.renew()).as("its tokens stay").isEqualTo(all);
        assertThat(second.renew()).isEmpty();
        Map<Integer, Long> half = first.renew();
        assertThat(half).hasSize(COUNT / 2);
        assertThat(all).containsAllEntriesOf(half);
        Map<Integer, Long> other = second.renew();
        assertThat(other).hasSize(COUNT / 2).doesNotContainKeys(
                half.keySet().toArray(Integer[]::new));
        other.forEach((partition, token) -> {
            assertThat(token).isGreaterThan(all.get(partition));
            assertThat(test.sql("SELECT token FROM partitions WHERE partition = " + partition))
                    .isEqualTo(token.toString());
        });
        first.release();
        Map<Integer, Long> mine = new HashMap<>(second.renew());
        assertThat(mine).hasSize(COUNT).containsAllEntriesOf(other);
        second.release();
        lapse();
    }

    private void leftovers() {
        int half = COUNT / 2;
        Set<Integer> unreadable = new HashSet<>();
        PartitionLeases refusing = leases(unreadable);
        PartitionLeases other = leases();
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
        assertThat(leases().renew()).as("a third writer waits").isEmpty();
        assertThat(other.renew()).as("and gets what is above the share")
                .hasSize((COUNT + 2) / 3);
        lapse();
    }

    private void renewing() throws Exception {
        PartitionLeases holder = leases();
        lapse();
        Map<Integer, Long> held = holder.renew();
        String until = "SELECT min(until) FROM leases";
        String before = test.sql(until);
        try (Connection batch = test.connect(); Statement statement = batch.createStatement()) {
            statement.execute("UPDATE partitions SET seq = seq + 1");
            assertThat(holder.renew()).isEqualTo(held);
            assertThat(test.sql(until)).isNotEqualTo(before);
            batch.rollback();
        }
        lapse();
    }

    private void hands() throws Exception {
        PartitionLeases holder = leases();
        PartitionLeases other = leases();
        lapse();
        Map<Integer, Long> held = holder.renew();
        try (Connection batch = test.connect(); Statement statement = batch.createStatement()) {
            statement.execute("UPDATE partitions SET seq = seq + 1 WHERE partition < 5");
            lapse();
            assertThat(other.renew()).as("only what is between batches")
                    .containsOnlyKeys(5, 6, 7);
            batch.commit();
        }
        lapse();
        other.release();
        Map<Integer, Long> all = leases().renew();
        assertThat(all).hasSize(COUNT);
        assertThat(all.get(0)).isEqualTo(held.get(0) + 1);
        lapse();
    }

    private void released() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        PartitionLeases leases = new PartitionLeases(test.ledger, new Partitions(COUNT), () -> {
            await(goOn);
            return Set.of();
        }, test.config);
        lapse();
        Thread renewal = new Thread(leases::renew);
        Thread release = new Thread(leases::release);
        renewal.start();
        Await.until("it is under way", SOON, () -> renewal.getState() == Thread.State.WAITING);
        release.start();
        Await.until("the release has ended, or waits", SOON, () ->
                release.getState() == Thread.State.TIMED_WAITING || !release.isAlive());
        goOn.countDown();
        renewal.join();
        release.join();
        assertThat(test.sql("SELECT count(*) FROM leases WHERE until > now()")).isEqualTo("0");
        assertThat(test.sql("SELECT count(*) FROM writers")).isEqualTo("0");
        assertThat(leases.renew()).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void lead() {
        LeaderLease first = new LeaderLease(test.ledger, () -> false, Set::of);
        LeaderLease second = new LeaderLease(test.ledger, () -> false, () -> Set.of(1));
        LeaderLease unable = new LeaderLease(test.ledger, () -> true, Set::of);
        String task = test.id("task");
        assertThat(unable.take(task, 60_000)).isFalse();
        assertThat(first.take(task, 60_000)).isTrue();
        assertThat(first.take(task, 60_000)).isTrue();
        assertThat(second.take(task, 60_000)).isFalse();
        assertThat(second.take(test.id("task"), 60_000)).isTrue();
        second.release(task);
        assertThat(second.take(task, 60_000)).as("it cannot release another pod's lease").isFalse();
        test.sql("UPDATE leader_leases SET until = 'epoch'");
        assertThat(second.take(task, 60_000)).isTrue();
        assertThat(first.take(task, 60_000)).isFalse();
        assertThat(second.releaseIfPartial(task)).as("it cannot do all of it").isTrue();
        assertThat(first.take(task, 60_000)).isTrue();
        assertThat(first.releaseIfPartial(task)).isFalse();
        assertThat(second.take(task, 60_000)).isFalse();
    }
}
