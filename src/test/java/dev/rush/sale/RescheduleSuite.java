package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changing a sale's title and times: P11, P9. */
abstract class RescheduleSuite {
    private static final String LATE = "2100-01-01T00:00:00Z";
    private final String user = fresh("user");

    abstract Environment environment();

    static JsonNode change(TestSale sale, String body) {
        return is(200, send(sale, body)).body();
    }

    private static Answer send(TestSale sale, String body) {
        return sale.api().asOperator().patch(sale.path(), json(body));
    }

    @Test
    @DisplayName("P11: title and times change independently, and nothing else does")
    void titleAndTimesChangeIndependently() {
        TestSale sale = TestSale.of(environment(), "apple:10:3", "'maxQuantity':2");
        JsonNode closes = change(sale, "{'closesAt':'2100-01-01T01:00:00+01:00'}");
        assertThat(closes.path("closesAt").asText()).isEqualTo(LATE);
        assertThat(closes.path("title").asText()).isEqualTo(sale.id());
        JsonNode title = change(sale, "{'title':'Pears \u00e4'}");
        assertThat(title.path("title").asText()).isEqualTo("Pears \u00e4");
        assertThat(title.path("closesAt").asText()).isEqualTo(LATE);
        JsonNode opens = change(sale, "{'opensAt':'2099-01-01T00:00:00Z'}");
        assertThat(opens.path("state").asText()).isEqualTo("scheduled");
        assertThat(opens.path("maxQuantity").asInt()).isEqualTo(2);
        assertThat(opens.at("/items/0/limitPerUser").asInt()).isEqualTo(3);
        assertThat(withoutTime(change(sale, "{}"))).isEqualTo(withoutTime(opens));
        Answer early = refused(sale.buy(user, "apple"), "not-open");
        assertThat(early.body().path("opensAt").asText()).startsWith("2099-01-01T00:00:00");
    }

    private static JsonNode withoutTime(JsonNode view) {
        return ((ObjectNode) view).without("asOf");
    }

    @Test
    @DisplayName("P11: null resets a field to its default")
    void nullResetsAField() {
        TestSale sale = TestSale.of(environment(), "apple:10:0", "'title':'Apples',"
                + "'opensAt':'2099-01-01T00:00:00Z','closesAt':'2099-01-02T00:00:00Z'");
        JsonNode open = change(sale, "{'title':null,'opensAt':null,'closesAt':null}");
        assertThat(open.path("title").asText()).isEqualTo(sale.id());
        assertThat(open.has("opensAt") || open.has("closesAt")).isFalse();
        assertThat(open.path("state").asText()).isEqualTo("open");
        sale.bought(user, "apple");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{'titel':'x'}", "{'title':5}", "{'closesAt':4102444800000}",
            "{'closesAt':'tomorrow'}", "{'closesAt':'2001-01-01T00:00:00Z'}",
            "{'opensAt':'2099-01-03T00:00:00Z'}", "{'opensAt':'2099-01-02T00:00:00Z'}",
            "{'opensAt':'2100-01-01T00:00:00Z','closesAt':'2099-12-31T23:59:59Z'}",
            "{'title':'x','title':'y'}", "{'items':[]}", "{'title':'\u0000'}", ""})
    @DisplayName("P11: an invalid title or time is refused and changes nothing")
    void invalidChangeIsRefused(String body) {
        TestSale sale = TestSale.of(environment(), "apple:10:0",
                "'closesAt':'2099-01-02T00:00:00Z'");
        Map<String, String> before = sale.hash("conf");
        refused(send(sale, body), "invalid-request");
        assertThat(sale.hash("conf")).isEqualTo(before);
    }

    @Test
    @DisplayName("P11: a closed sale stays closed, and an unknown one unknown")
    void closedSaleStaysClosed() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        is(200, sale.control("close"));
        refused(send(sale, "{'closesAt':null}"), "closed");
        refused(send(sale, "{'title':'x'}"), "closed");
        refused(send(TestSale.unknown(environment()), "{'title':'x'}"), "unknown-sale");
        TestSale over = TestSale.of(environment(), "apple:10:0");
        change(over, "{'closesAt':'" + Instant.now().plusSeconds(2) + "'}");
        Await.until("the sale is over", LedgerPods.SOON,
                () -> over.view().body().path("state").asText().equals("closed"));
        refused(over.buy(user, "apple"), "closed");
        refused(send(over, "{'closesAt':'" + LATE + "'}"), "closed");
    }

    @Test
    @DisplayName("P11: pausing and rescheduling do not undo each other")
    void pausingAndReschedulingAreIndependent() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        is(200, sale.control("pause"));
        assertThat(change(sale, "{'closesAt':'" + LATE + "'}").path("state").asText())
                .isEqualTo("paused");
        assertThat(is(200, sale.control("resume")).body().path("closesAt").asText())
                .isEqualTo(LATE);
        sale.bought(user, "apple");
        sale.shards().partitions().forEach(shard -> assertThat(sale.hash(shard, "conf"))
                .containsEntry("closes_at", "4102444800000").containsEntry("paused", "0"));
    }

    @Test
    @DisplayName("P10: preparing again requires the current title and times")
    void preparingAgainRequiresTheCurrentTimes() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        change(sale, "{'closesAt':'" + LATE + "','title':'Apples'}");
        Answer differs = refused(sale.prepareAgain("apple:10:0", ""), "sale-exists");
        assertThat(differs.body().path("differs").toString())
                .isEqualTo("[\"closesAt\",\"title\"]");
        is(200, sale.prepareAgain("apple:10:0",
                "'title':'Apples','closesAt':'" + LATE + "'"));
        Answer items = refused(sale.prepareAgain("apple:11:0",
                "'title':'Apples','closesAt':'" + LATE + "'"), "sale-exists");
        assertThat(items.body().path("differs").toString()).isEqualTo("[\"items\"]");
        refused(TestSale.unknown(environment()).prepareAgain("apple:1:0",
                "'closesAt':'2001-01-01T00:00:00Z'"), "invalid-request");
    }

    @Test
    @DisplayName("P11, P13: every pod shows new times, under a new ETag")
    void everyPodShowsNewTimes() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        try (Pod other = Environments.startPod("other", environment(), Map.of())) {
            String before = is(200, other.api().get(sale.path())).header("ETag");
            change(sale, "{'closesAt':'" + LATE + "'}");
            Await.until("the other pod shows it", LedgerPods.SOON, () -> other.api()
                    .get(sale.path()).body().path("closesAt").asText().equals(LATE));
            assertThat(other.api().get(sale.path()).header("ETag")).isNotEqualTo(before);
        }
    }

    @Test
    @DisplayName("P11: no concurrent change is lost")
    void noConcurrentChangeIsLost() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        List<String> bodies = List.of("{'title':'T'}", "{'closesAt':'" + LATE + "'}",
                "{'opensAt':'2099-01-01T00:00:00Z'}");
        List<Answer> answers = bodies.parallelStream().map(body -> send(sale, body)).toList();
        answers.forEach(answer -> is(200, answer));
        JsonNode view = change(sale, "{}");
        assertThat(view.path("title").asText()).isEqualTo("T");
        assertThat(view.path("closesAt").asText()).isEqualTo(LATE);
        assertThat(view.path("opensAt").asText()).startsWith("2099");
    }
}
