package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.redis.cluster.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I15: how the writer parses a stream's entries. */
class StreamEntryTest {
    private static final String ORDER = "01890a5d-ac96-774b-bcce-b302099a8057";
    private static final String OTHER = "01890a5d-ac96-774b-bcce-b302099a8058";
    private static final List<String> BOUGHT = List.of("s", "1700000000001", "7", "9", "8",
            "u", ORDER, "k", "=", "a:2,b:3", "1,2");
    private static final List<String> GRABBED = List.of("r", "1700000000002", "3", "9", "8",
            "u", ORDER, "k", "1", "250");

    private static StreamEntry.Shape shape(EntryWords kind, List<String> words, String name,
            String word) {
        List<String> changed = new ArrayList<>(words);
        changed.set(kind.names().indexOf(name), word);
        return new StreamEntry.Shape(kind, changed);
    }

    private static StreamEntry.Shape grab(String name, String word) {
        return shape(EntryWords.GRAB, GRABBED, name, word);
    }

    private static StreamEntry.Shape order(String name, String word) {
        return shape(EntryWords.PURCHASE, BOUGHT, name, word);
    }

    @Test
    @DisplayName("I15: an order's words have names, from which its entry is formatted again")
    void wordsHaveNames() {
        Map<String, String> named = EntryWords.PURCHASE.named(BOUGHT);
        assertThat(named).containsEntry("kind", "purchase").containsEntry("sale", "s")
                .containsEntry("order", ORDER).containsEntry("lines", "a:2,b:3")
                .containsEntry("seq", "8").doesNotContainKey("head").hasSize(11);
        assertThat(EntryWords.spelled(named)).containsExactly("purchase", "s 1700000000001 7 ",
                " 8 u " + ORDER + " k = a:2,b:3 1,2");
        Map<String, String> grab = EntryWords.GRAB.named(GRABBED);
        assertThat(grab).containsEntry("number", "3").containsEntry("amount", "250").hasSize(10);
        assertThat(EntryWords.spelled(grab)).containsExactly("grab",
                "r 1700000000002 3 ", " 8 u " + ORDER + " k 1 250");
        assertThat(EntryWords.of("a  b ")).containsExactly("a", "", "b", "");
    }

    @Test
    @DisplayName("I15: grabs of one call are numbered consecutively; an empty key is none")
    void grabsOfACallAreNumbered() {
        List<StreamEntry> grabs = new ArrayList<>();
        StreamEntry.add(grabs, "1-1", Replies.texts(List.of("grab", "r 1700000000002 3 9 8 "
                + "u " + ORDER + "  1 250 v " + ORDER + " k x 7 w " + ORDER + " k 2 5")));
        UUID grab = UUID.fromString(ORDER);
        assertThat(grabs).hasSize(3).contains(
                new StreamEntry.Grab("1-1", grab, "r", "u", null, 3, 1, 250, 1700000000002L, 8),
                new StreamEntry.Grab("1-1", grab, "r", "w", "k", 5, 2, 5, 1700000000002L, 10));
        assertThat(grabs.get(1)).isInstanceOf(StreamEntry.Malformed.class);
        assertThat(grabs.get(1).fields()).containsEntry("user", "v").containsEntry("nth", "x");
    }

    @Test
    @DisplayName("I15: orders of one call share its sale; equal lines are parsed once")
    void ordersOfACallAreNumbered() {
        List<StreamEntry> orders = new ArrayList<>();
        StreamEntry.add(orders, "1-1", Replies.texts(List.of("purchase", "s 1700000000001 7 9 8 "
                + "u " + ORDER + " k = a:2,b:3 1,2 v " + OTHER + "  + a:2,b:3 4,5"
                + " w " + ORDER + " k = a:0 1 x " + ORDER + " " + OTHER + " = c:1 6")));
        UUID first = UUID.fromString(ORDER);
        Map<String, Long> units = Map.of("a", 2L, "b", 3L);
        assertThat(orders).hasSize(4).contains(
                new Purchase("1-1", first, "s", "u", "k", "=", "a:2,b:3", "1,2", units,
                        1_700_000_000_001L, 7, 8),
                new Purchase("1-1", UUID.fromString(OTHER), "s", "v", null, "+", "a:2,b:3", "4,5",
                        units, 1_700_000_000_001L, 7, 9),
                new Purchase("1-1", first, "s", "x", OTHER, "=", "c:1", "6", Map.of("c", 1L),
                        1_700_000_000_001L, 7, 11));
        assertThat(orders.get(2)).isInstanceOf(StreamEntry.Malformed.class);
        assertThat(orders).extracting(StreamEntry::name).containsExactly(ORDER, OTHER, "", ORDER);
        assertThat(((Purchase) orders.get(1)).quantities())
                .isSameAs(((Purchase) orders.get(0)).quantities());
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", value = {"none, false", "k, false", OTHER + ", true",
        "01890a5d-ac96-474b-bcce-b302099a8057, false"})
    @DisplayName("I15: without a client's key the order's id is its key, which others may repeat")
    void keyIsTheId(String key, boolean mayRepeat) {
        Purchase purchase = (Purchase) StreamEntry.of("1-1", EntryWords.PURCHASE.named(
                order("key", key == null ? "" : key).words()));
        assertThat(purchase.key()).isEqualTo(key);
        assertThat(purchase.keyOrId()).isEqualTo(key == null ? ORDER : key);
        assertThat(purchase.mayRepeatAnId()).isEqualTo(mayRepeat);
    }

    @Test
    @DisplayName("I15: an order or grab is read again from its fields")
    void fieldsAreReadAgain() {
        for (Map<String, String> fields : List.of(EntryWords.PURCHASE.named(BOUGHT),
                EntryWords.GRAB.named(GRABBED), EntryWords.GRAB.named(grab("key", "").words()))) {
            StreamEntry entry = StreamEntry.of("1-1", fields);
            assertThat(entry.fields()).isEqualTo(fields);
            assertThat(entry.name()).isEqualTo(ORDER);
            assertThat(entry.seq()).isEqualTo(8);
        }
        Map<String, String> bad = EntryWords.GRAB.named(grab("nth", "x").words());
        for (Map<String, String> malformed : List.of(bad, Map.of("kind", "x"))) {
            StreamEntry entry = StreamEntry.of("1-1", malformed);
            assertThat(entry).isInstanceOf(StreamEntry.Malformed.class);
            assertThat(entry.fields()).isEqualTo(malformed);
        }
    }

    @Test
    @DisplayName("I15: fields of an unknown kind cannot be formatted")
    void strangersHaveNoSpelling() {
        for (Map<String, String> stranger : List.of(Map.of("other", "x"),
                Map.of("purchase", "too few words"), Map.of("kind", "grab", "rain", "r"),
                Map.<String, String>of())) {
            assertThat(EntryWords.spelled(stranger)).isNull();
        }
    }

    @Test
    @DisplayName("I15: well-formed words are accepted")
    void shapesAreRead() {
        StreamEntry.Shape purchase = order("user", "u");
        assertThat(purchase.visible("digest")).isEqualTo("=");
        assertThat(purchase.uuid("order")).isEqualTo(UUID.fromString(ORDER));
        assertThat(purchase.text("lines", StreamEntry.Shape.LINES)).isEqualTo("a:2,b:3");
        assertThat(purchase.text("lefts", StreamEntry.Shape.LEFTS)).isEqualTo("1,2");
        for (String lefts : List.of("", "7", "1,,3", "9999999999999999" + ",0".repeat(19))) {
            assertThat(order("lefts", lefts).text("lefts", StreamEntry.Shape.LEFTS))
                    .isEqualTo(lefts);
        }
        assertThat(grab("rain", "s").id("rain")).isEqualTo("s");
        assertThat(grab("nth", "1").number("at")).isEqualTo(1_700_000_000_002L);
        assertThat(grab("amount", "9999999999999999").number("amount"))
                .isEqualTo(9_999_999_999_999_999L);
        assertThat(grab("amount", "0").number("amount")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "12345678901234567", "1x", "-1", "/", ":"})
    @DisplayName("I15: malformed numbers are refused")
    void otherNumbersAreRefused(String number) {
        assertThatThrownBy(() -> grab("amount", number).number("amount"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("amount");
    }

    @Test
    @DisplayName("I15: malformed ids, users and orders are refused")
    void otherShapesAreRefused() {
        assertThatThrownBy(() -> grab("rain", "s/").id("rain")).hasMessageContaining("rain");
        assertThatThrownBy(() -> order("user", "ü").visible("user")).hasMessageContaining("user");
        assertThatThrownBy(() -> order("order", ORDER + "0").uuid("order"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> order("order", ORDER.toUpperCase(Locale.ROOT)).uuid("order"))
                .hasMessageContaining("order");
        assertThatThrownBy(() -> order("lines", "a:,b").text("lines", StreamEntry.Shape.LINES))
                .hasMessageContaining("lines");
        for (String lefts : List.of("x", "1,12345678901234567", "1" + ",2".repeat(20))) {
            assertThatThrownBy(() -> order("lefts", lefts).text("lefts", StreamEntry.Shape.LEFTS))
                    .hasMessageContaining("lefts");
        }
    }
}
