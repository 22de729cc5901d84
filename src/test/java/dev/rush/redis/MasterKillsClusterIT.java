package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.MasterKills.Loss;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D1, I2: a few of the kills of {@code ./mvnw -Pkills}. */
class MasterKillsClusterIT {
    private static final int KILLS = 4;

    @Test
    @DisplayName("D1: a master killed right after its answers loses no order under replicas, "
            + "and some under redis")
    void killedMasterLosesNoOrderThatReplicasHave() {
        List<Loss> losses = new ArrayList<>();
        try (MasterKills masters = new MasterKills()) {
            for (int i = 1; i <= KILLS; i++) {
                losses.addAll(masters.kill(i % 2 == 0));
            }
        }
        assertThat(losses).filteredOn(loss -> loss.level().equals("replicas"))
                .hasSize(KILLS).allSatisfy(loss -> {
                    assertThat(loss.answered()).isPositive();
                    assertThat(loss.lost()).as("%s", losses).isZero();
                });
        assertThat(losses).filteredOn(loss -> loss.level().equals("redis") && loss.lagging())
                .hasSize(KILLS / 2).allSatisfy(loss -> assertThat(loss.lost()).isPositive());
    }
}
