package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.ledger.Actor;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Units of ended orders are credited once, and a failing partition delays no other. */
class CreditsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int PAGE = 100;
    private static final String RETURNED = "1 returned buyer:u";
    private static final String CREDITED = RETURNED + ", 2 credited service:credits ";
    private static TestLife test;

    @BeforeAll
    static void start() {
        test = new TestLife();
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @BeforeEach
    void prepare() {
        test.clear();
    }

    private static OwedCredit ended(String sale, String key) {
        UUID order = test.order(sale, key, 0);
        OwedCredit owed = test.journal.transact((connection, ledgerState) ->
                Steps.giveBack(connection, ledgerState,
                        OrderRows.find(connection, TestJournal.MONTH, sale, order),
                        Actor.of(Caller.actingFor("u", false)), null));
        test.journal.sql("UPDATE credits SET since = now() - interval '9 seconds'");
        return owed;
    }

    private static void retryUntil(UUID order, String steps) {
        Await.until(order + " is " + steps, SOON, () -> {
            test.credits.retry();
            return steps.equals(test.steps(order));
        }, () -> test.steps(order) + " " + test.calls);
    }

    private static String tag(int partition) {
        return TestLife.PARTITIONS.all().get(partition).tag();
    }

    @Test
    @DisplayName("I11: credits are stored, even if another partition of the call fails")
    void creditsAreStoredBesideAFailingPartition() {
        test.failing.add(tag(2));
        OwedCredit kept = ended(test.sale(2), "k");
        OwedCredit given = ended(test.sale(3), "k");
        assertThatThrownBy(() -> test.credits.give(List.of(kept, given)).join())
                .isInstanceOf(CompletionException.class).hasMessageContaining("LAYOUT");
        assertThat(test.steps(kept.order())).isEqualTo(RETURNED);
        assertThat(test.steps(given.order())).isEqualTo(CREDITED + "credited");

        test.failing.clear();
        assertThat(test.credits.give(List.of(kept)).join())
                .isEqualTo(Map.of(kept.order(), "credited"));
        assertThat(test.steps(kept.order())).isEqualTo(CREDITED + "credited");
        assertThat(test.count("credits")).isEqualTo("0");
        assertThat(test.journal.sums(kept.sale())).isEqualTo(test.journal.recount(kept.sale()));
    }

    @Test
    @DisplayName("I11: a failing partition with a page of credits delays no other partition")
    void otherPartitionsAreTried() {
        test.failing.add(tag(2));
        OwedCredit first = ended(test.sale(2), "k");
        test.journal.sql("INSERT INTO credits SELECT partition, since - interval '1 hour',"
                + " gen_random_uuid(), month, step, expired, actor, sale,"
                + " user_id, lines"
                + " FROM credits, generate_series(1, " + PAGE + ")");
        OwedCredit young = ended(test.sale(3), "k");
        retryUntil(young.order(), CREDITED + "credited");
        assertThat(test.steps(first.order())).isEqualTo(RETURNED);
    }

    @Test
    @DisplayName("X7: credits of a partition whose layout is not known are left to other pods")
    void refusedPartitionsAreLeftOut() {
        test.refused.add(2);
        OwedCredit kept = ended(test.sale(2), "k");
        OwedCredit given = ended(test.sale(3), "k");
        retryUntil(given.order(), CREDITED + "credited");
        assertThat(test.steps(kept.order())).isEqualTo(RETURNED);
        assertThat(test.calls(OrderScripts.CREDIT)).hasSize(1);
    }

    @Test
    @DisplayName("I11: an order that Redis does not have is restored there as returned")
    void unknownOrdersAreRestored() {
        OwedCredit keyed = ended(test.sale(2), "k");
        test.words.put(keyed.order().toString(), "unknown-order");
        test.credits.give(List.of(keyed)).join();
        assertThat(test.steps(keyed.order())).isEqualTo(CREDITED + "restored");
        String id = keyed.order().toString();
        assertThat(test.calls(OrderScripts.RESTORE)).containsExactly(String.join(" ", "u", id,
                "k", "a:1", "c", "c", id, "k", "=", "a:1", "1", "1", "0", "0"));
    }

    @Test
    @DisplayName("I11: an order that neither store has stays owed, and others are restored")
    void lostOrdersStayOwed() {
        String sale = test.sale(2);
        OwedCredit lost = ended(sale, "k");
        OwedCredit kept = ended(sale, "l");
        List.of(lost, kept).forEach(owed ->
                test.words.put(owed.order().toString(), "unknown-order"));
        test.journal.sql("DELETE FROM orders WHERE id = '" + lost.order() + "'");
        assertThat(test.credits.give(List.of(lost, kept)).join()).isEqualTo(
                Map.of(lost.order(), "unknown-order", kept.order(), "restored"));
        assertThat(test.steps(kept.order())).isEqualTo(CREDITED + "restored");
        assertThat(test.count("credits")).isEqualTo("1");
    }

    @Test
    @DisplayName("I11: an order whose key another order has is restored without it")
    void reusedKeysAreLeftOut() {
        OwedCredit owed = ended(test.sale(2), "k");
        String id = owed.order().toString();
        test.words.put(id, "unknown-order");
        test.restoring.put(id, "key-reused");
        assertThat(test.credits.give(List.of(owed)).join()).containsValue("key-reused");
        assertThat(test.calls(OrderScripts.RESTORE)).hasSize(2)
                .element(1).isEqualTo(String.join(" ", "u", id, "", "a:1", "c", "c", id, "", "=",
                        "a:1", "1", "1", "0", "0"));
        assertThat(test.steps(owed.order())).isEqualTo(RETURNED);
        test.restoring.put(id, "repeated a");
        test.credits.give(List.of(owed)).join();
        assertThat(test.steps(owed.order())).isEqualTo(RETURNED);
        test.restoring.put(id, "repeated c");
        test.credits.give(List.of(owed)).join();
        assertThat(test.steps(owed.order())).isEqualTo(CREDITED + "repeated");
    }

    @Test
    @DisplayName("I11: nothing is owed to a sale that is over and has left Redis")
    void retired() {
        OwedCredit owed = ended(test.sale(2), "k");
        test.words.put(owed.order().toString(), "unknown-sale");
        test.credits.give(List.of(owed)).join();
        assertThat(test.steps(owed.order())).as("loaded").isEqualTo(RETURNED);
        test.journal.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + owed.sale() + "'");
        test.credits.give(List.of(owed)).join();
        assertThat(test.steps(owed.order())).isEqualTo(CREDITED + "unknown-sale");
    }

    @Test
    @DisplayName("I11: units that Redis cannot take stay owed, behind all others")
    void othersComeFirst() {
        OwedCredit old = ended(test.sale(2), "k");
        OwedCredit young = ended(test.sale(2), "k");
        test.words.put(old.order().toString(), "unknown-order");
        test.restoring.put(old.order().toString(), "not-loaded");
        test.journal.sql("UPDATE credits SET since = now() - interval '1 day' WHERE order_id = '"
                + old.order() + "'");
        retryUntil(young.order(), CREDITED + "credited");
        assertThat(test.steps(old.order())).isEqualTo(RETURNED);
        assertThat(test.journal.sql("SELECT since > now() - interval '1 hour' FROM credits"))
                .isEqualTo("t");
    }

    private static OwedCredit expired(String sale, String key) {
        UUID order = test.order(sale, key, 5);
        return test.journal.transact((connection, ledgerState) -> Steps.expire(connection,
                ledgerState, test.find(sale, order), Actor.service("test"), null));
    }

    @Test
    @DisplayName("I6: of expiries that are credited together, the newest is recorded first")
    void newestIsRecorded() {
        String sale = test.sale(2);
        OwedCredit older = expired(sale, "k");
        OwedCredit newer = expired(sale, "l");
        test.credits.give(List.of(older, newer)).join();
        assertThat(test.calls(OrderScripts.REPORT)).singleElement().asString()
                .contains(newer.order().toString());
    }

    @Test
    @DisplayName("I6: units of an expiry that Redis has not recorded stay owed")
    void unrecorded() {
        OwedCredit owed = expired(test.sale(2), "k");
        test.unrecorded = true;
        assertThatThrownBy(() -> test.credits.give(List.of(owed)).join()).rootCause()
                .hasMessage(OutcomeCode.OUTCOME_UNKNOWN.text());
        assertThat(test.isCredited(owed.order())).isFalse();
        assertThat(test.count("credits WHERE order_id = '" + owed.order() + "'")).isEqualTo("1");
    }

    @Test
    @DisplayName("I6: retried returns and expiries are recorded before their units are sold again")
    void retriesAreRecorded() {
        String sale = test.sale(2);
        OwedCredit first = expired(sale, "k");
        OwedCredit second = expired(sale, "l");
        OwedCredit returned = ended(sale, "m");
        retryUntil(returned.order(), CREDITED + "credited");
        String step = TestJournal.MONTH + " %s 1 %s";
        assertThat(test.calls(OrderScripts.REPORT)).singleElement().asString()
                .contains(String.format(step, first.order(), "expired service:test"))
                .contains(String.format(step, second.order(), "expired service:test"))
                .contains(String.format(step, returned.order(), "returned buyer:u"));
    }

    @Test
    @DisplayName("A step whose credit is retried often is recorded once a minute")
    void recordedOnce() {
        OwedCredit owed = ended(test.sale(2), "k");
        String id = owed.order().toString();
        test.words.put(id, "unknown-sale");
        for (int attempts = 1; attempts <= 3; attempts++) {
            int least = attempts;
            Await.until("attempt " + attempts, SOON, () -> {
                test.journal.sql("UPDATE credits SET since = now() - interval '9 seconds'");
                test.credits.retry();
                return test.calls(OrderScripts.CREDIT).stream()
                        .filter(call -> call.contains(id)).count() >= least;
            }, test.calls::toString);
        }
        assertThat(test.calls(OrderScripts.REPORT)).filteredOn(call -> call.contains(id))
                .hasSize(1);
    }

    @Test
    @DisplayName("I6: units of a return stay owed until Redis has recorded it")
    void unrecordedRetry() {
        OwedCredit owed = ended(test.sale(2), "k");
        test.unrecorded = true;
        Await.until("a retry", SOON, () -> {
            test.credits.retry();
            return !test.calls(OrderScripts.REPORT).isEmpty();
        }, test.calls::toString);
        assertThat(test.steps(owed.order())).isEqualTo(RETURNED);
        test.unrecorded = false;
        retryUntil(owed.order(), CREDITED + "credited");
    }

    @Test
    @DisplayName("I11: a retry that throws at once is logged, and does not end the retries")
    void retriesContinueAfterAnException() {
        OwedCredit owed = ended(test.sale(2), "k");
        Set<String> logged = ConcurrentHashMap.newKeySet();
        Logger log = Logger.getLogger(Credits.class.getName());
        log.setFilter(entry -> {
            logged.add(entry.getLevel().getName());
            return true;
        });
        test.broken = true;
        Await.until("the defect is logged", SOON, () -> {
            test.credits.retry();
            return logged.contains("ERROR");
        });
        test.broken = false;
        log.setFilter(null);
        retryUntil(owed.order(), CREDITED + "credited");
    }

    @Test
    @DisplayName("Nothing is credited while the ledger may be behind Redis")
    void behindWaits() {
        OwedCredit kept = ended(test.sale(2), "k");
        OwedCredit given = ended(test.sale(3), "k");
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 2");
        retryUntil(given.order(), CREDITED + "credited");
        assertThat(test.steps(kept.order())).isEqualTo(RETURNED);
        assertThat(test.calls(OrderScripts.CREDIT)).hasSize(1);
    }
}
