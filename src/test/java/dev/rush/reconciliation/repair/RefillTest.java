package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders and steps that the ledger lost are restored from Redis. */
class RefillTest extends RepairScene {
    private static final String BEHIND =
            "SELECT behind_since || ' ' || seq FROM partitions WHERE partition = 0";

    private final Refill refill = refill();

    @BeforeEach
    void fallBehind() {
        test.sql("UPDATE partitions SET seq = 10");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        test.sql("DELETE FROM audit");
        test.sql("DELETE FROM leader_leases");
        test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "12", "epoch", "1");
    }

    private UUID known(String user, String state, long payBy) {
        UUID order = test.order(sale, user, "k", "apple:1", payBy);
        redis.command("HSET", key("buyers"), user, LINE.formatted(state, order, payBy));
        return order;
    }

    private static void report(UUID order, int step, String kind) {
        report(order, step, kind, "");
    }

    private static void report(UUID order, int step, String kind, String payment) {
        redis.command("LPUSH", PARTITION.key("reported"), MONTH + " " + order + " " + step + " "
                + kind + " payer:p" + payment);
    }

    private static String steps(UUID order) {
        return test.sql("SELECT string_agg(step || ' ' || kind || ' ' || actor, ', ' ORDER BY step)"
                + " FROM steps WHERE order_id = '" + order + "'");
    }

    @Test
    @DisplayName("I16: orders that ended in Redis are ended, and their units are owed once")
    void ends() {
        UUID returned = known("u1", "c", 0);
        UUID expired = known("u2", "e", 5);
        UUID kept = known("u3", "a", 0);
        refill.round();
        assertThat(steps(returned)).isEqualTo("1 returned service:refill");
        assertThat(steps(expired)).isEqualTo("1 expired service:refill");
        assertThat(steps(kept)).isNull();
        assertThat(test.sql("SELECT count(*) FROM credits WHERE sale = '" + sale + "'"))
                .isEqualTo("2");
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale))
                .isEqualTo("apple 3 0 1 1 1 0");
        assertThat(test.sold(sale)).isEqualTo("apple 1");
        assertThat(test.sql(BEHIND)).as("behind, and its number").isNull();
        assertThat(test.sql("SELECT seq FROM partitions WHERE partition = 0")).isEqualTo("12");
        assertThat(test.sql("SELECT concat_ws(' ', actor, action, after -> 'ended') FROM audit"))
                .isEqualTo("service:refill ledger.refilled 2");
    }

    @Test
    @DisplayName("I16: steps that were reported to clients are added again, with their actors")
    void reported() {
        UUID both = known("u1", "c", 5);
        UUID there = known("u2", "a", 0);
        giveBack(there);
        report(both, 1, "confirmed");
        report(both, 2, "returned");
        report(there, 1, "returned");
        refill.round();
        assertThat(steps(both)).isEqualTo("1 confirmed payer:p, 2 returned payer:p");
        assertThat(steps(there)).isEqualTo("1 returned service:test");
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale));
        assertThat(redis.number("LLEN", PARTITION.key("reported"))).isEqualTo(3);
    }

    @Test
    @DisplayName("I12: a payment is added before a return of its order that was retried")
    void retriedReturn() {
        UUID order = known("u1", "c", 5);
        report(order, 1, "confirmed");
        redis.command("LPUSH", PARTITION.key("expired"), MONTH + " " + order
                + " 2 returned buyer:u1");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 confirmed payer:p, 2 returned buyer:u1");
    }

    @Test
    @DisplayName("I11: a return is added again even if the payment before it is missing")
    void gap() {
        UUID order = known("u1", "c", 5);
        report(order, 2, "returned");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 returned payer:p");
        assertThat(test.sql(BEHIND)).isNull();
    }

    private static String payment(UUID order) {
        return test.sql("SELECT concat_ws(' ', reference, amount, currency) FROM steps"
                + " WHERE order_id = '" + order + "'");
    }

    @Test
    @DisplayName("I12: a payment is restored with its reference, amount and currency")
    void payments() {
        UUID stated = known("u1", "a", 5);
        UUID named = known("u2", "a", 5);
        UUID spelledWrong = known("u3", "a", 5);
        report(stated, 1, "confirmed", " - 990 EUR");
        report(named, 1, "confirmed", " pay-1  ");
        report(spelledWrong, 1, "confirmed", " pay-1 some EUR");
        refill.round();
        assertThat(payment(stated)).isEqualTo("- 990 EUR");
        assertThat(payment(named)).isEqualTo("pay-1");
        assertThat(steps(spelledWrong)).isNull();
    }

    @Test
    @DisplayName("I6: a reported expiry is added again")
    void expired() {
        UUID order = known("u1", "a", 5);
        redis.command("LPUSH", PARTITION.key("expired"), MONTH + " " + order
                + " 1 expired service:expiry");
        redis.command("LPUSH", PARTITION.key("expired"), MONTH + " " + UUID.randomUUID()
                + " 1 expired service:expiry");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 expired service:expiry");
        assertThat(redis.list("LRANGE", PARTITION.key("expired"), "0", "-1")).as("evidence")
                .isEqualTo(List.of(MONTH + " " + order + " 1 expired service:expiry"));
    }

    @Test
    @DisplayName("A reported step of a lost order is forgotten after the refill")
    void lost() {
        report(UUID.randomUUID(), 1, "confirmed");
        refill.round();
        assertThat(test.sql(BEHIND)).isNull();
        assertThat(redis.text("LINDEX", PARTITION.key("reported"), "0")).isEmpty();
        assertThat(redis.number("LLEN", PARTITION.key("reported"))).isEqualTo(1);
    }

    @Test
    @DisplayName("I12: steps of stored orders are added at once, whatever else waits")
    void atOnce() {
        UUID paid = known("u1", "a", 5);
        report(paid, 1, "confirmed");
        redis.command("HSET", key("buyers"), "u2", LINE.formatted("a", UUID.randomUUID(), 5));
        refill.round();
        assertThat(test.sql(BEHIND)).as("an order waits for a writer").endsWith(" 10");
        assertThat(steps(paid)).isEqualTo("1 confirmed payer:p");
        redis.command("XTRIM", PARTITION.key("orders"), "MAXLEN", "0");
    }

    @Test
    @DisplayName("I12: reported steps of all partitions are added before any orders")
    void stepsComeFirst() {
        Partition last = PARTITIONS.all().get(1);
        String other = test.sale("apple:9:0");
        UUID paid = test.order(other, "u1", "k", "apple:1", 5);
        List.of("orders", "reservations", "sums").forEach(table -> test.sql(
                "UPDATE " + table + " SET partition = 1 WHERE sale = '" + other + "'"));
        test.sql("INSERT INTO partitions (partition, behind_since) VALUES (1, now())"
                + " ON CONFLICT (partition) DO UPDATE SET behind_since = now()");
        redis.command("LPUSH", last.key("reported"), MONTH + " " + paid + " 1 confirmed payer:p");
        redis.command("HSET", key("buyers"), "u2", LINE.formatted("a", UUID.randomUUID(), 5));
        refill.round();
        assertThat(steps(paid)).isEqualTo("1 confirmed payer:p");
        long takenAt = Long.parseLong(test.sql("SELECT floor(extract(epoch FROM at) * 1000)::bigint"
                + " FROM steps WHERE order_id = '" + paid + "'"));
        List<?> first = redis.list("XRANGE", PARTITION.key("orders"), "-", "+");
        assertThat(first).hasSize(1);
        String entry = ((List<?>) first.get(0)).get(0).toString();
        assertThat(takenAt).isLessThanOrEqualTo(Long.parseLong(entry.split("-")[0]));
        redis.command("XTRIM", PARTITION.key("orders"), "MAXLEN", "0");
    }

    @Test
    @DisplayName("I6: a partition stays behind until orders that only Redis has are stored again")
    void orders() {
        UUID order = UUID.randomUUID();
        redis.command("HSET", key("buyers"), "u1", LINE.formatted("a", order, 5));
        refill.round();
        assertThat(test.sql(BEHIND)).endsWith(" 10");
        assertThat(redis.number("XLEN", PARTITION.key("orders"))).isEqualTo(1);
        refill.round();
        assertThat(redis.number("XLEN", PARTITION.key("orders"))).as("put once").isEqualTo(1);
        redis.command("XTRIM", PARTITION.key("orders"), "MAXLEN", "0");
        fail("u1", order, 1);
        refill.round();
        assertThat(test.sql(BEHIND)).isNull();
        test.sql("DELETE FROM retries");
    }

    private UUID postponed(String user) {
        UUID order = UUID.randomUUID();
        redis.command("HSET", key("buyers"), user, LINE.formatted("a", order, 5));
        fail(user, order, 9);
        test.sql("UPDATE retries SET state = 'retrying', next_at = now()");
        return order;
    }

    @Test
    @DisplayName("I12: the payment of an order that fits only after another has ended is kept")
    void postponed() {
        UUID gone = known("u1", "e", 5);
        UUID paid = postponed("u2");
        report(paid, 1, "confirmed");
        refill.round();
        assertThat(steps(gone)).isEqualTo("1 expired service:refill");
        refill.round();
        assertThat(test.sql(BEHIND)).as("it has not been retried since").endsWith(" 10");
        UUID stored = test.order(sale, "u2", "k", "apple:9", 5);
        test.sql("UPDATE orders SET id = '" + paid + "' WHERE id = '" + stored + "'");
        test.sql("UPDATE reservations SET order_id = '" + paid + "' WHERE order_id = '" + stored
                + "'");
        test.sql("DELETE FROM retries");
        refill.round();
        assertThat(steps(paid)).isEqualTo("1 confirmed payer:p");
        assertThat(test.sql(BEHIND)).isNull();
        assertThat(redis.number("LLEN", PARTITION.key("reported"))).isEqualTo(1);
        assertThat(test.sql("SELECT concat_ws(' ', after -> 'ended', after -> 'reported')"
                + " FROM audit")).isEqualTo("1 1");
    }

    @Test
    @DisplayName("An order that never fits does not hold up the refill for ever")
    void refused() {
        postponed("u1");
        refill.round();
        assertThat(test.sql(BEHIND)).endsWith(" 10");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(test.sql(BEHIND)).isNull();
        test.sql("DELETE FROM retries");
    }

    private static String holds() {
        return test.sql("SELECT string_agg(DISTINCT partition || ' ' || held, ', ')"
                + " FROM reservations");
    }

    private static void reserve(int partition, int orders) {
        test.sql("INSERT INTO reservations SELECT " + partition + ", n / 3, gen_random_uuid(), "
                + MONTH + ", 's', 'u', 'apple:1' FROM generate_series(1, " + orders + ") AS n");
    }

    @Test
    @DisplayName("I12: all reservations are on hold before a partition is no longer behind")
    void allAreHeld() {
        test.sql("DELETE FROM reservations");
        reserve(0, 10_001);
        reserve(1, 1);
        refill.round();
        assertThat(test.sql(BEHIND)).isNull();
        assertThat(holds()).isEqualTo("0 true, 1 false");
        assertThat(test.sql("SELECT after -> 'held' FROM audit")).isEqualTo("10001");
        reserve(0, 1);
        assertThat(holds()).as("reservations since then").isEqualTo("0 false, 0 true, 1 false");
        test.sql("DELETE FROM reservations");
    }

    @Test
    @DisplayName("A sale that only Redis has is named")
    void sales() {
        redis.command("ZADD", PARTITION.key("sales"), "1", "gone", "1", sale);
        refill.round();
        assertThat(test.sql(BEHIND)).isNull();
        assertThat(test.sql("SELECT after ->> 'unknown' FROM audit")).isEqualTo("[\"gone\"]");
    }

    @Test
    @DisplayName("Nothing is refilled before the process is checked, or before Redis was read")
    void unchecked() {
        test.sql("UPDATE ledger SET server = 0");
        refill.round();
        assertThat(test.sql(BEHIND)).isNotNull();
        test.check();
        test.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 0");
        refill.round();
        assertThat(test.sql(BEHIND)).isEqualTo("infinity 10");
    }
}
