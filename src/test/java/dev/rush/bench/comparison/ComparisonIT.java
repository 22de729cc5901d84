package dev.rush.bench.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.bench.Servers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison runs every way, on one Redis and on a cluster (C1), and counts from data (C2). */
class ComparisonIT {
    private static final Setup RUSH = new Setup(1_000, 50, 0);

    @Test
    void scriptsSellExactlyTheStockEverywhere() {
        try (Servers single = Servers.single(); Servers cluster = Servers.cluster()) {
            List<Result> results = new ArrayList<>();
            for (Servers servers : List.of(single, cluster)) {
                for (Way way : Ways.all(servers.isCluster())) {
                    Result result = Trial.run(servers, way, RUSH);
                    results.add(result);
                    assertThat(result.lost()).as(result.toString()).isZero();
                    if (way instanceof ScriptWay || way instanceof RushWay) {
                        assertThat(result.failed()).as(result.toString()).isZero();
                        assertThat(result.unsold()).as(result.toString()).isZero();
                        assertThat(result.oversold()).as(result.toString()).isZero();
                    }
                }
            }
            assertThat(new Document(false, "7", "Quiet.", Ways.all(true), results).text())
                    .contains("Distributed lock").contains("cluster of three masters");
            assertThat(Chart.svg(Ways.all(true), results)).startsWith("<svg").endsWith("</svg>\n");
        }
    }

    @Test
    void dyingClientsLoseUnitsOnlyWhereOrdersAreQueuedApart() {
        Setup everyThirdFails = new Setup(200, 50, 333);
        try (Servers single = Servers.single()) {
            assertThat(Trial.run(single, new ScriptWay.DecrBy(), everyThirdFails).lost())
                    .isPositive();
            assertThat(Trial.run(single, new ScriptWay.SetAndQueue(), everyThirdFails).lost())
                    .isZero();
            assertThat(Trial.run(single, Ways.all(false).get(8), everyThirdFails).lost()).isZero();
        }
    }
}
