package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Json;
import dev.rush.ledger.LeaderLease;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The comparison of PostgreSQL with more partitions than are compared at once. */
class BehindGroupsTest extends RepairScene {
    private static final List<Partition> MANY = new Partitions(70).all();

    @AfterEach
    void soundAgain() {
        test.sql("DELETE FROM partitions WHERE partition >= " + PARTITIONS.all().size());
    }

    private static void report(int partition) {
        redis.command("LPUSH", MANY.get(partition).key("reported"),
                MONTH + " " + UUID.randomUUID() + " 1 confirmed payer:p");
    }

    @Test
    void stepsOfEachGroupAreCompared() {
        test.sql("UPDATE ledger SET server = 0, reserved = epoch");
        MANY.forEach(partition -> redis.command(
                "SET", partition.key(Layout.NAME), Integer.toString(Layout.newest())));
        report(5);
        report(31);
        report(32);
        redis.command("HSET", MANY.get(40).key("ledger"), "seq", "1", "epoch", "1");
        report(69);
        Partitions partitions = new Partitions(MANY.size());
        new BehindCheck(test.ledger, gate.commands, partitions,
                new LostOffers(test.ledger, gate.commands, partitions, new Json()),
                new LeaderLease(test.ledger, () -> false, Set::of), test.config,
                new SimpleMeterRegistry()).round();
        assertThat(test.sql("SELECT string_agg(partition::text, ' ' ORDER BY partition)"
                + " FROM partitions WHERE behind_since IS NOT NULL")).isEqualTo("5 31 32 40 69");
        assertThat(test.<Boolean>transact((connection, ledgerState) -> ledgerState.checked()))
                .isTrue();
        assertThat(test.sql("SELECT count(*) FROM audit WHERE action = 'ledger.behind'"
                + " AND after ? '69'")).isEqualTo("1");
    }
}
