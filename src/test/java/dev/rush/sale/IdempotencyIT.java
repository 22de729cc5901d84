package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Idempotency keys: one (user, sale, key) has one order and one answer (I7). */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER", "SHARDS"})
class IdempotencyIT {
    private final String user = fresh("user");

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("I7: a repeated purchase gives the first answer again and takes nothing")
    void repeatedPurchaseReturnsFirstOrder() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0");

        Answer first = is(201, sale.buy(user, "apple:2,pear:1", "k"));
        sale.bought(fresh("user"), "apple:5");
        Answer again = is(201, sale.buy(user, "apple:2,pear:1", "k"));

        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Location")).isEqualTo(first.header("Location"));
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(sale.left("apple")).isEqualTo(3);
        assertThat(sale.orders()).isEqualTo(2);
    }

    @Test
    @DisplayName("I7: the same lines in another order, or split, are the same body")
    void sameLinesInAnotherOrderAreTheSameBody() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0");

        Answer first = is(201, sale.buy(user, "apple:2,pear:1", "k"));
        Answer again = is(201, sale.buy(user, "pear,apple:1,apple:1", "k"));

        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.body()).isEqualTo(first.body());
    }

    @Test
    @DisplayName("I7: many long lines, kept as a digest, are recognised too")
    void longCartIsRecognised() {
        StringBuilder items = new StringBuilder();
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            String sku = "a".repeat(62) + (10 + i);
            items.append(i == 0 ? "" : ",").append(sku).append(":5:0");
            lines.append(i == 0 ? "" : ",").append(sku).append(":1");
        }
        TestSale sale = TestSale.of(environment(), items.toString());

        is(201, sale.buy(user, lines.toString(), "k"));
        assertThat(is(201, sale.buy(user, lines.toString(), "k")).header("Idempotency-Replayed"))
                .isEqualTo("true");
        String other = lines.substring(0, lines.length() - 1) + "2";
        refused(sale.buy(user, other, "k"), "key-reused");
    }

    @Test
    @DisplayName("422: the same key with another body is key-reused and takes nothing")
    void sameKeyWithAnotherBodyIsKeyReused() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0");
        is(201, sale.buy(user, "apple:2", "k"));

        refused(sale.buy(user, "apple:3", "k"), "key-reused");
        refused(sale.buy(user, "pear:2", "k"), "key-reused");
        refused(sale.buy(user, "apple:2,pear:1", "k"), "key-reused");
        refused(sale.buy(user, "melon:2", "k"), "key-reused");
        assertThat(sale.left("apple")).isEqualTo(8);
        assertThat(sale.left("pear")).isEqualTo(10);
    }

    @Test
    @DisplayName("I7: keys of different users, and of different sales, are independent")
    void keysOfDifferentUsersAreIndependent() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        TestSale other = TestSale.of(environment(), "apple:10:0");

        String first = is(201, sale.buy(user, "apple", "k")).body().path("order").asText();
        String second = is(201, sale.buy(fresh("user"), "apple", "k"))
                .body().path("order").asText();
        String third = is(201, other.buy(user, "apple:2", "k")).body().path("order").asText();

        assertThat(first).isNotEqualTo(second).isNotEqualTo(third);
        assertThat(sale.orders()).isEqualTo(2);
    }

    @Test
    @DisplayName("I7: only accepted purchases are remembered; a refused one may be tried again")
    void refusedPurchaseMayBeTriedAgain() {
        TestSale sale = TestSale.of(environment(), "apple:1:0");
        refused(sale.buy(user, "apple:2", "k"), "insufficient-stock");
        is(200, sale.control("pause"));
        refused(sale.buy(user, "apple:2", "k"), "paused");
        is(200, sale.control("resume"));
        is(200, sale.total("apple", 2));

        assertThat(is(201, sale.buy(user, "apple:2", "k")).header("Idempotency-Replayed")).isNull();
    }

    @Test
    @DisplayName("I7: a replay is answered even when sold out, over the limit, paused or closed")
    void replayIsAnsweredEvenAfterTheEnd() {
        TestSale sale = TestSale.of(environment(), "apple:1:1", "'duplicateGuard':'user'");
        String order = is(201, sale.buy(user, "apple", "k")).body().path("order").asText();
        refused(sale.buy(fresh("user"), "apple"), "sold-out");
        assertReplayed(sale, order);
        is(200, sale.control("pause"));
        assertReplayed(sale, order);
        is(200, sale.control("close"));
        assertReplayed(sale, order);
    }

    @Test
    @DisplayName("I11: a purchase under a key that was returned first is refused")
    void purchaseUnderReturnedKeyIsRefused() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        sale.refuse(user, "k");

        refused(sale.buy(user, "apple", "k"), "order-returned");
        assertThat(sale.left("apple")).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "ä", "\t", " ", "k\u007f"})
    @DisplayName("X5: a key is 1 to 128 visible ASCII characters")
    void keyIsVisibleAscii(String key) {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        Answer answer;
        try {
            answer = sale.buy(user, "apple", key);
        } catch (IllegalArgumentException e) {
            return; // The client refuses to send it; other tests send it through raw sockets.
        }
        if (answer.status() != 201) { // Blanks around a header's value are ignored.
            refused(answer, "invalid-request");
        }
        assertThat(sale.hash("buyers").values()).flatMap(record -> record.lines().toList())
                .noneMatch(line -> line.split(" ").length != 9);
    }

    @Test
    @DisplayName("X5: a key has at most 128 characters, and braces in it are harmless")
    void keyHasAtMost128Characters() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        String longest = "{x}:\"\\'" + "k".repeat(121);

        is(201, sale.buy(user, "apple", longest));
        assertThat(is(201, sale.buy(user, "apple", longest)).header("Idempotency-Replayed"))
                .isEqualTo("true");
        refused(sale.buy(user, "apple", longest + "k"), "invalid-request");
    }

    private void assertReplayed(TestSale sale, String order) {
        Answer answer = is(201, sale.buy(user, "apple", "k"));
        assertThat(answer.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(answer.body().path("order").asText()).isEqualTo(order);
    }
}
