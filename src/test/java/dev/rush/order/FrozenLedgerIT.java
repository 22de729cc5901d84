package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * I8 for the ledger: while PostgreSQL is frozen, a change is answered {@code unavailable} only if
 * it never happens, and {@code outcome-unknown} if it may.
 */
class FrozenLedgerIT {
    private static final int ROUNDS_MAX = 10;
    private static EmbeddedLedger ledger;
    private static LedgerScene scene;
    private static Pod writer;
    private static Pod pod;

    @BeforeAll
    static void start() {
        ledger = EmbeddedLedger.start();
        scene = new LedgerScene("frozen", ledger.freshDatabase());
        List<Pod> pods = Environments.startTogether(
                () -> scene.pod("frozen-writer", "rush.role", "writer"),
                () -> scene.pod("frozen-api", "rush.role", "api", "rush.ledger.threads", "1",
                        "rush.ledger.deadline", "PT2S", "rush.ledger.lock-timeout", "PT1S"));
        writer = pods.get(0);
        pod = pods.get(1);
        scene.awaitLedger(pod);
    }

    @AfterAll
    static void stop() {
        pod.close();
        writer.close();
        scene.close();
        ledger.close();
    }

    /** Sends calls to a frozen ledger, which resumes once all of them are answered. */
    private static List<Answer> whileFrozen(List<Supplier<CompletableFuture<Answer>>> calls) {
        ledger.pause();
        try {
            return calls.stream().map(Supplier::get).toList().stream()
                    .map(CompletableFuture::join).toList();
        } finally {
            ledger.resume();
        }
    }

    /**
     * Repeats a call to a frozen ledger until it was sent, so that its outcome is unknown. A call
     * that finds no open connection is not sent, and is answered {@code unavailable}.
     */
    private static void sendUntilUnknown(
            Supplier<CompletableFuture<Answer>> call, Supplier<String> state) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            String before = state.get();
            Answer answer = whileFrozen(List.of(call)).get(0);
            if (answer.status() == 504) {
                assertThat(answer.word()).isEqualTo("outcome-unknown");
                assertThat(answer.header("Retry-After")).isNotNull();
                return;
            }
            assertThat(answer.word()).as("%s", answer).isEqualTo("unavailable");
            awaitThawed();
            assertThat(state.get()).as("nothing happened").isEqualTo(before);
        }
        throw new AssertionError("no call was sent");
    }

    /** Calls wait in one queue, so all earlier ones have ended by then. */
    private static void awaitThawed() {
        Await.until("the ledger answers again", LedgerScene.SOON, () -> pod.api().asOperator()
                .get("/v1/dead-letters").status() == 200, pod::log);
    }

    private static String confirmPath(TestSale sale, String order) {
        return sale.path() + "/orders/" + order + "/confirm";
    }

    private static TestSale sale() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT1H'");
        return sale;
    }

    private static String reserved(TestSale sale) {
        String order = sale.bought("711", "apple");
        awaitStatus(order, "reserved");
        return order;
    }

    private static String status(String order) {
        return scene.sql("SELECT status FROM order_states WHERE id = '" + order + "'");
    }

    private static void awaitStatus(String order, String status) {
        Await.until(order + " is " + status, LedgerScene.SOON,
                () -> status.equals(status(order)), writer::log);
    }

    @Test
    @DisplayName("A confirmation that PostgreSQL may have received is unknown, and happens once")
    void confirmationThatWasSentIsUnknownAndRepeatedSafely() {
        TestSale sale = sale();
        String order = reserved(sale);
        Api operator = pod.api().asOperator();
        sendUntilUnknown(() -> operator.postAsync(confirmPath(sale, order), null),
                () -> status(order));
        awaitThawed();
        Answer repeated = is(200, operator.post(confirmPath(sale, order)));
        assertThat(repeated.body().path("status").asText()).isEqualTo("confirmed");
        assertThat(status(order)).isEqualTo("confirmed");
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("A call that still waits for a thread is refused, and never runs")
    void refusedConfirmationNeverRuns() {
        TestSale sale = sale();
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            orders.add(reserved(sale));
        }
        Api operator = pod.api().asOperator();
        List<Answer> answers = whileFrozen(orders.stream()
                .<Supplier<CompletableFuture<Answer>>>map(order ->
                        () -> operator.postAsync(confirmPath(sale, order), null)).toList());
        awaitThawed();
        int refused = 0;
        for (int i = 0; i < orders.size(); i++) {
            if (answers.get(i).status() == 503) {
                refused++;
                assertThat(status(orders.get(i))).as("%s", answers.get(i)).isEqualTo("reserved");
            } else {
                assertThat(answers.get(i).word()).isEqualTo("outcome-unknown");
            }
        }
        assertThat(refused).as("%s", answers).isGreaterThanOrEqualTo(orders.size() - 1);
        for (String order : orders) {
            is(200, operator.post(confirmPath(sale, order)));
        }
    }

    @Test
    @DisplayName("A return that PostgreSQL may have received is unknown; repeating it returns once")
    void returnThatWasSentIsUnknownAndRepeatedSafely() {
        TestSale sale = sale();
        String order = reserved(sale);
        Api operator = pod.api().asOperator();
        String body = "{\"order\":\"" + order + "\"}";
        sendUntilUnknown(() -> operator.postAsync(sale.path() + "/returns", body),
                () -> status(order));
        awaitThawed();
        is(200, operator.post(sale.path() + "/returns", body));
        assertThat(status(order)).isEqualTo("returned");
        Await.until("the unit is back", LedgerScene.SOON, () -> sale.left("apple") == 10);
    }

    @Test
    @DisplayName("A total that PostgreSQL may have received is unknown; repeating it finishes it")
    void totalThatWasSentIsUnknownAndRepeatedSafely() {
        TestSale sale = sale();
        String path = sale.path() + "/items/apple";
        Api operator = pod.api().asOperator();
        String total = "SELECT total FROM items WHERE sale = '" + sale.id() + "'";
        sendUntilUnknown(() -> operator.callAsync("PATCH", path, "{\"total\":12}"),
                () -> scene.sql(total));
        awaitThawed();
        is(200, sale.total("apple", 12));
        assertThat(scene.count(total)).isEqualTo(12);
        assertThat(sale.left("apple")).isEqualTo(12);
    }

    @Test
    @DisplayName("A sale that PostgreSQL may have received is unknown; preparing again finishes it")
    void preparationThatWasSentIsUnknownAndRepeatedSafely() {
        sale();
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        String definition = TestSale.definition("apple:10:0", "");
        Api operator = pod.api().asOperator();
        sendUntilUnknown(() -> operator.callAsync("PUT", sale.path(), definition),
                () -> scene.sql("SELECT count(*) FROM sales WHERE sale = '" + sale.id() + "'"));
        awaitThawed();
        assertThat(operator.put(sale.path(), definition).status()).isIn(200, 201);
        is(201, sale.buy("711", "apple"));
    }

    @Test
    @DisplayName("A read changes nothing, so its outcome is never unknown")
    void readOfFrozenLedgerIsUnavailable() {
        sale();
        Answer answer = whileFrozen(List.of(() -> pod.api().asOperator()
                .callAsync("GET", "/v1/dead-letters", null))).get(0);
        assertThat(answer.word()).isEqualTo("unavailable");
        awaitThawed();
    }
}
