package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Json;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.LedgerFailure;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

    private static BehindCheck check() {
        Partitions partitions = new Partitions(MANY.size());
        return new BehindCheck(test.ledger, gate.commands, partitions,
                new LostOffers(test.ledger, gate.commands, partitions, new Json()),
                new LeaderLease(test.ledger, () -> false, Set::of), test.config,
                new SimpleMeterRegistry());
    }

    private static boolean isChecked() {
        return test.transact((connection, ledgerState) -> ledgerState.checked());
    }

    @BeforeEach
    void takeOver() {
        List.of("audit", "leader_leases").forEach(table -> test.sql("DELETE FROM " + table));
        test.sql("UPDATE ledger SET server = 0, reserved = epoch");
        MANY.forEach(partition -> redis.command(
                "SET", partition.key(Layout.NAME), Integer.toString(Layout.newest())));
    }

    @Test
    void stepsOfEachGroupAreCompared() {
        report(5);
        report(31);
        report(32);
        redis.command("HSET", MANY.get(40).key("ledger"), "seq", "1", "epoch", "1");
        report(69);
        check().round();
        assertThat(test.sql("SELECT string_agg(partition::text, ' ' ORDER BY partition)"
                + " FROM partitions WHERE behind_since IS NOT NULL")).isEqualTo("5 31 32 40 69");
        assertThat(isChecked()).isTrue();
        assertThat(test.sql("SELECT count(*) FROM audit WHERE action = 'ledger.behind'"
                + " AND after ? '69'")).isEqualTo("1");
    }

    @Test
    void checkThatFailsIsLoggedOnceAndRepeated() {
        report(5);
        List<String> warnings = new ArrayList<>();
        Logger log = Logger.getLogger(BehindCheck.class.getName());
        Handler handler = new Recorder(warnings);
        log.addHandler(handler);
        BehindCheck check = check();
        test.sql("ALTER TABLE audit RENAME TO gone");
        try {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(check::round).isInstanceOf(LedgerFailure.class);
            }
        } finally {
            test.sql("ALTER TABLE gone RENAME TO audit");
            log.removeHandler(handler);
        }
        assertThat(warnings).singleElement().asString().contains("cannot be compared");
        assertThat(isChecked()).isFalse();
        check.round();
        assertThat(isChecked()).isTrue();
    }

    /** Keeps warnings. */
    private static final class Recorder extends Handler {
        private final List<String> warnings;

        Recorder(List<String> warnings) {
            this.warnings = warnings;
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() == Level.WARNING.intValue()) {
                warnings.add(line.getMessage());
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
