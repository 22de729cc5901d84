package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A reader by position sees each change once and in order, however commits interleave. */
class JournalReaderTest {
    private static final int WRITERS = 4;
    private static final int TRANSACTIONS = 60;

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private TestJournal test;
    private LedgerState ledgerState;

    @Test
    void readerSeesEachChangeOnceAndInOrder() throws Exception {
        try (TestJournal journal = new TestJournal(Environments.ledger().freshDatabase())) {
            test = journal;
            ledgerState = test.transact((connection, now) -> now);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                Random random = new Random(seed + i);
                writers.add(CompletableFuture.runAsync(() -> write(random),
                        task -> new Thread(task).start()));
            }
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new));
            List<String> met = new ArrayList<>();
            Position at = new Position(ledgerState.epoch(), 0, 0);
            boolean wasDone;
            do {
                wasDone = all.isDone();
                at = read(at, met);
            } while (!wasDone);
            all.join();
            assertThat(met).as("with -Drush.seed=" + seed).hasSizeGreaterThan(TRANSACTIONS)
                    .isEqualTo(List.of(test.sql("SELECT string_agg(action, ' ' ORDER BY xact,"
                            + " place) FROM audit").split(" ")));
        }
    }

    private Position read(Position from, List<String> met) {
        Position at = from;
        for (Journal.Page page = page(at); page.next() != null; page = page(at)) {
            page.changes().forEach(change -> met.add(change.action()));
            assertThat(page.next()).isNotEqualTo(at);
            at = page.next();
        }
        return at;
    }

    private Journal.Page page(Position at) {
        return test.transact((connection, now) -> Journal.audit(connection, at, 7));
    }

    private void write(Random random) {
        try (Connection connection = test.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                for (int row = random.nextInt(3); row >= 0; row--) {
                    UUID id = UUID.randomUUID();
                    AuditRows.insert(connection, ledgerState, id, Actor.service("test"),
                            "a" + id, "s", null, null, null);
                    statement.execute("SELECT pg_sleep(" + random.nextInt(4) / 1000.0 + ")");
                }
                if (random.nextInt(5) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
