package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.rush.http.Texts;
import dev.rush.ledger.writer.StreamEntry.Grab;
import dev.rush.ledger.writer.StreamEntry.Malformed;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.redis.cluster.Replies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Any entry of a stream is either parsed or kept whole as a dead letter, and never stops the
 * entries behind it. The input is the entry's fields and values, one per line.
 */
class StreamEntryFuzzTest {
    private static final List<String> REASONS = Stream.concat(
            Stream.of("unknown kind of entry", "wrong number of words", "lines name no units"),
            Stream.of(EntryWords.values()).flatMap(kind -> kind.names().stream())
                    .map(name -> "invalid field " + name)).toList();
    private static final String GOOD = "a-sale 1790000000000 0 7 7 ann "
            + "01890000-0000-7000-8000-000000000001 key = apple:1 9";

    @FuzzTest(maxDuration = "1m")
    void entryIsParsedOrADeadLetter(byte[] bytes) {
        List<String> words = List.of(new String(bytes, StandardCharsets.UTF_8).split("\n", -1));
        List<StreamEntry> behind = entries(List.of("purchase", GOOD));
        StreamEntry.add(behind, "1-1", Replies.texts(words));
        List<StreamEntry> entries = entries(words);
        assertThat(behind.subList(1, behind.size())).isEqualTo(entries).isNotEmpty();

        for (StreamEntry entry : entries) {
            if (entry instanceof Purchase purchase) {
                assertThat(words.get(1)).contains(" " + purchase.order() + " ");
                assertThat(Texts.isId(purchase.sale())).isTrue();
                assertThat(Texts.isVisible(purchase.user())).isTrue();
                assertThat(purchase.quantities()).isNotEmpty()
                        .allSatisfy((sku, units) -> assertThat(units).isPositive());
                assertThat(purchase.seq()).isNotNegative();
            } else if (entry instanceof Grab grab) {
                assertThat(words.get(1)).contains(" " + grab.grab() + " ");
                assertThat(Texts.isId(grab.rain())).isTrue();
                assertThat(grab.amount()).isNotNegative();
            } else {
                assertThat(((Malformed) entry).reason()).isIn(REASONS);
            }
            List<String> spelled = EntryWords.spelled(entry.fields());
            if (spelled != null) {
                assertThat(entries(List.of(spelled.get(0), spelled.get(1) + 9 + spelled.get(2))))
                        .as("put back").extracting(StreamEntry::fields).hasSize(1)
                        .containsAnyOf(entry.fields(), withKey(entry.fields()));
            }
        }
    }

    /** An order that failed only because of its place gets its id as its key when put back. */
    private static Map<String, String> withKey(Map<String, String> fields) {
        Map<String, String> named = new LinkedHashMap<>(fields);
        named.computeIfPresent("key", (name, key) -> key.isEmpty()
                ? fields.getOrDefault("order", fields.get("grab")) : key);
        return named;
    }

    private static List<StreamEntry> entries(List<String> words) {
        List<StreamEntry> entries = new ArrayList<>();
        StreamEntry.add(entries, "1-1", Replies.texts(words));
        return entries;
    }
}
