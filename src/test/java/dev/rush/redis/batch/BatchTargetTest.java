package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the words of requests stand in a call. */
class BatchTargetTest {
    private static final Partition PARTITION = new Partitions(8).all().get(0);

    private static String words(boolean sharing, String... requests) {
        BatchTarget target = new BatchTarget(Script.unfenced("sale/purchase"),
                PARTITION.keys().named("a"), List::of, false, sharing);
        List<String> told = new ArrayList<>();
        target.words(List.of(requests).stream().map(each -> each.split(" ")).toList(), told::add);
        return String.join(" ", told);
    }

    @Test
    void firstWordsOfAllRequestsComeBeforeTheSecondOnes() {
        assertThat(words(false, "u1 o1 x", "u2 o2 x")).isEqualTo("u1 u2 o1 o2 x x");
    }

    @ParameterizedTest
    @CsvSource({"x, x, x", "x, y, ''"})
    void sharedWordComesOnceOrNotAtAll(String one, String other, String sent) {
        assertThat(words(true, "u1 o1 " + one, "u2 o2 " + other))
                .isEqualTo(sent + " u1 u2 o1 o2");
    }
}
