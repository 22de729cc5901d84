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

/** The order of the requests' words in a call. */
class BatchTargetTest {
    private static final Partition PARTITION = new Partitions(8).all().get(0);

    private static BatchTarget target(boolean sharing) {
        return new BatchTarget(Script.unfenced("sale/purchase"),
                PARTITION.keys().named("a"), List::of, false, sharing);
    }

    private static String words(boolean sharing, String... requests) {
        List<String> sent = new ArrayList<>();
        target(sharing).words(
                List.of(requests).stream().map(each -> each.split(" ")).toList(), sent::add);
        return String.join(" ", sent);
    }

    @Test
    void firstWordsOfAllRequestsComeBeforeTheSecondOnes() {
        assertThat(words(false, "u1 o1 x", "u2 o2 x")).isEqualTo("u1 u2 o1 o2 x x");
    }

    @Test
    void targetsThatSendTheirWordsDifferentlyAreNotEqual() {
        assertThat(target(true)).isEqualTo(target(true)).isNotEqualTo(target(false));
    }

    @ParameterizedTest
    @CsvSource({"x, x, x", "x, y, ''"})
    void sharedWordComesOnceOrNotAtAll(String first, String second, String sent) {
        assertThat(words(true, "u1 o1 " + first, "u2 o2 " + second))
                .isEqualTo(sent + " u1 u2 o1 o2");
    }
}
