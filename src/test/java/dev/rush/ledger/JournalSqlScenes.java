package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Caller;
import dev.rush.ledger.Journal.Change;
import dev.rush.ledger.Journal.Page;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The promises of the journal's SQL to its readers, each as a scene. */
final class JournalSqlScenes {
    private static final Actor OPERATOR = Actor.of(new Caller("ops", true, false, false));

    private final TestJournal test;
    private final TestSteps steps;

    JournalSqlScenes(TestJournal test) {
        this.test = test;
        this.steps = new TestSteps(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("A1: a change is recorded once, with before and after", this::noted);
        all.put("A1: a reader stops below the oldest open transaction", this::late);
        all.put("A1: steps and other changes are read in one order, without buyers' own",
                this::merged);
        all.put("A1: a reader sees each change of an epoch, then of the next one", this::epochs);
        all.put("A1: a position that a restore undid is distinguished from one that exists",
                this::beyond);
        return all;
    }

    /** All changes after a position, page by page. */
    private List<Change> walk(Position after, int limit) {
        List<Change> met = new ArrayList<>();
        Position at = after;
        for (Page page = read(at, limit); page.next() != null; page = read(at, limit)) {
            assertThat(page.changes()).hasSizeLessThanOrEqualTo(limit);
            assertThat(page.next()).as("it goes on").isNotEqualTo(at);
            met.addAll(page.changes());
            at = Position.parse(page.next().text());
        }
        return met;
    }

    private Page read(Position after, int limit) {
        return test.transact((connection, ledgerState) ->
                Journal.audit(connection, after, limit));
    }

    private void note(Connection connection, LedgerState ledgerState, String action)
            throws SQLException {
        AuditRows.insert(connection, ledgerState, UUID.randomUUID(), OPERATOR, action, "s",
                null, null, null);
    }

    /** A new check raises the epoch, so that no scene sees another's changes. */
    private Position fresh() {
        test.check();
        return new Position(Integer.parseInt(test.sql("SELECT epoch FROM ledger")), 0, 0);
    }

    private void noted() {
        Position before = fresh();
        UUID id = UUID.randomUUID();
        for (int i = 0; i < 2; i++) {
            test.transact((connection, ledgerState) -> {
                AuditRows.insert(connection, ledgerState, id, OPERATOR, "sale.total", "s/a",
                        Map.of("total", 5), 7, "restock");
                return null;
            });
        }
        Page page = read(before, 10);
        assertThat(page.changes()).hasSize(1);
        Change change = page.changes().get(0);
        assertThat(change).extracting(Change::actor, Change::action, Change::subject,
                Change::before, Change::after, Change::cause).containsExactly(OPERATOR,
                "sale.total", "s/a", "{\"total\": 5}", "7", "restock");
        assertThat(page.next()).isEqualTo(change.position());
        assertThat(read(page.next(), 10)).isEqualTo(new Page(List.of(), null));
    }

    private void late() throws Exception {
        Position before = fresh();
        LedgerState now = test.transact((connection, ledgerState) -> ledgerState);
        try (Connection early = test.connect(); Connection late = test.connect()) {
            note(early, now, "early");
            note(late, now, "late");
            late.commit();
            assertThat(read(before, 10)).isEqualTo(new Page(List.of(), null));
            early.commit();
        }
        assertThat(read(before, 10).changes()).extracting(Change::action)
                .containsExactly("early", "late");
        assertThat(read(before, 1).changes()).extracting(Change::action)
                .containsExactly("early");
    }

    private void merged() {
        Position before = fresh();
        String sale = test.sale("a:99:0");
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            UUID id = test.order(sale, "u", null, "a:1", i % 2 == 0 ? 5 : 0);
            String subject = " " + sale + "/" + id + " ";
            boolean expires = i % 4 == 0;
            if (expires) {
                steps.expired(5, 9);
                wanted.add("order.expired" + subject + "\"reserved\" \"expired\"");
            } else {
                // The buyer's own step.
                OwedCredit owed = steps.giveBack(sale, id);
                test.transact((connection, ledgerState) -> {
                    Steps.credited(connection, ledgerState, List.of(owed), Map.of(id, "credited"));
                    note(connection, ledgerState, "note");
                    return null;
                });
                wanted.add("order.credited" + subject + "null null");
                wanted.add("note s null null");
            }
        }
        for (int limit : new int[] {1, 2, 50}) {
            List<String> met = new ArrayList<>();
            walk(before, limit).forEach(change -> met.add(String.join(" ", change.action(),
                    change.subject(), change.before(), change.after())));
            assertThat(met).as("pages of %d", limit).isEqualTo(wanted);
        }
        returned(sale);
        steps.clear();
    }

    private void returned(String sale) {
        Position before = fresh();
        for (long payBy : new long[] {0, 5}) {
            UUID id = test.order(sale, "u", null, "a:1", payBy);
            test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                    OrderRows.find(connection, TestJournal.MONTH, sale, id), OPERATOR, "broken"));
        }
        assertThat(read(before, 9).changes()).extracting(Change::before)
                .containsExactly("\"confirmed\"", "\"reserved\"");
    }

    private void epochs() {
        Position before = fresh();
        test.transact((connection, ledgerState) -> {
            note(connection, ledgerState, "first");
            return null;
        });
        test.sql("UPDATE audit SET xact = '9000000000' WHERE epoch = " + before.epoch());
        test.sql("UPDATE ledger SET server = 0");
        test.transact((connection, ledgerState) -> {
            assertThat(ledgerState).extracting(LedgerState::checked, LedgerState::epoch)
                    .containsExactly(false, before.epoch() + 1);
            note(connection, ledgerState, "unchecked");
            return null;
        });
        test.check();
        assertThat(read(before, 10).next()).as("a minute has to pass").isNull();
        test.sql("UPDATE ledger SET checked_at = checked_at - interval '2 minutes'");
        List<Change> met = walk(before, 10);
        assertThat(met).extracting(Change::action).containsExactly("first", "unchecked");
        assertThat(met).extracting(change -> change.position().epoch())
                .containsExactly(before.epoch(), before.epoch() + 1);
    }

    private boolean isBeyond(int epoch, long xact) {
        return test.transact((connection, ledgerState) ->
                Journal.isBeyond(connection, ledgerState, new Position(epoch, xact, 1)));
    }

    private void beyond() {
        Position before = fresh();
        test.transact((connection, ledgerState) -> {
            note(connection, ledgerState, "last");
            return null;
        });
        Position last = read(before, 9).next();
        long far = last.xact() + 1_000_000;
        assertThat(isBeyond(last.epoch(), last.xact())).isFalse();
        assertThat(isBeyond(last.epoch(), far)).isTrue();
        assertThat(isBeyond(last.epoch() + 1, 0)).isTrue();
        assertThat(isBeyond(last.epoch() - 1, far)).as("another server's").isFalse();
        test.sql("UPDATE ledger SET server = 0");
        assertThat(isBeyond(last.epoch(), far)).as("an epoch that ended").isFalse();
        assertThatThrownBy(() -> isBeyond(last.epoch() + 1, far))
                .isInstanceOf(LedgerFailure.class);
        test.check();
    }
}
