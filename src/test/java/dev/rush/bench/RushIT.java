package dev.rush.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.bench.rush.Rush;
import dev.rush.bench.rush.RushPlan;
import dev.rush.bench.rush.RushReport;
import dev.rush.testing.Api;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rushes that the project is for, driven by its own load command (P2, G3, G4). */
class RushIT {
    private static final int BUYERS = 20_000;
    private static final int UNITS = 500;

    static Stream<Environment> environments() {
        return Stream.of(Environments.single(), Environments.cluster());
    }

    @ParameterizedTest
    @MethodSource("environments")
    void rushSellsExactlyItsUnitsAndTellsAllOthersSoldOut(Environment environment) {
        RushReport report = Rush.run(new RushPlan(environment.pod().baseUri(),
                RushPlan.Kind.PURCHASE, "rush-it", BUYERS, UNITS, 200, false),
                new Progress(System.out));
        assertThat(report.accepted()).as(report.text()).isEqualTo(UNITS);
        assertThat(report.refused()).isEqualTo(Map.of("sold-out", (long) BUYERS - UNITS));
        assertThat(report.unknown() + report.errors()).isZero();
        assertThat(report.addsUp()).isTrue();
        Api.Answer sale = environment.api().get("/v1/sales/rush-it");
        assertThat(sale.body().path("state").asText()).isEqualTo("sold-out");
        assertThat(sale.body().at("/items/0/left").asLong(-1)).isZero();
    }

    @Test
    void rushAtAPaceComesByTheNameOfAnIngress() {
        RushReport report = Rush.run(new RushPlan(Environments.single().pod().baseUri(),
                RushPlan.Kind.PURCHASE, "pace-it", 400, 300, 50, true, 2_000, "rush.example"),
                new Progress(System.out));
        assertThat(report.accepted()).as(report.text()).isEqualTo(300);
        assertThat(report.refused()).isEqualTo(Map.of("sold-out", 100L));
        assertThat(report.unknown() + report.errors()).isZero();
        assertThat(report.addsUp()).as(report.text()).isTrue();
    }

    @Test
    void rainHandsOutExactlyItsEnvelopesAndTheirMoney() {
        RushReport report = Rush.run(new RushPlan(Environments.single().pod().baseUri(),
                RushPlan.Kind.GRAB, "rain-it", 5_000, 300, 100, true), new Progress(System.out));
        assertThat(report.accepted()).as(report.text()).isEqualTo(300);
        assertThat(report.refused()).isEqualTo(Map.of("empty", 4_700L));
        assertThat(report.unknown() + report.errors()).isZero();
        assertThat(report.addsUp()).as(report.text()).isTrue();
    }
}
