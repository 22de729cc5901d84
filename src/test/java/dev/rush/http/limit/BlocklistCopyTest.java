package dev.rush.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** X6: a pod's copy of the blocklist and the changes applied to it. */
class BlocklistCopyTest {

    @Test
    void changesAreApplied() {
        BlocklistCopy copy = new BlocklistCopy(null);
        assertThat(copy.version()).isEqualTo("0");
        assertThat(copy.contains("u")).isFalse();
        copy.load(List.of("u", "v"));
        assertThat(copy.size()).isEqualTo(2);
        assertThat(copy.contains("u")).isTrue();
        copy.apply("12 n remove u");
        copy.apply("13 n add w");
        assertThat(copy.contains("u")).isFalse();
        assertThat(copy.contains("v")).isTrue();
        assertThat(copy.contains("w")).isTrue();
        assertThat(copy.size()).isEqualTo(2);
        assertThat(copy.version()).isEqualTo("13");
    }

    @Test
    void onlyFollowingChangesContinueACopy() {
        BlocklistCopy fresh = new BlocklistCopy(null);
        assertThat(fresh.isContinuedBy(null)).isTrue();
        assertThat(fresh.isContinuedBy("1 n add u")).isTrue();
        assertThat(fresh.isContinuedBy("2 n add u")).isFalse();
        BlocklistCopy later = new BlocklistCopy("7 n add u");
        assertThat(later.isContinuedBy("7 n add u")).isTrue();
        assertThat(later.isContinuedBy("7 other add u")).isFalse();
        assertThat(later.isContinuedBy(null)).isFalse();
    }
}
