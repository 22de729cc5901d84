package dev.rush.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A one-minute run with a fixed seed and only faults that lose nothing. {@code ./mvnw -Pnemesis}
 * runs longer, with all faults.
 */
class NemesisIT {
    private static final long SEED = 12;
    private static final String FAULTS = "killed-pod,terminated-pod,paused-pod,flushed-scripts,"
            + "paused-clients,frozen-ledger,killed-ledger,locked-ledger,cut-replies";

    @Test
    void oneMinuteOfFaultsBreaksNoPromise() throws Exception {
        Report report = new NemesisRun(
                new Options(SEED, Duration.ofSeconds(60), FAULTS, 24, "redis")).run();
        report.write(Topology.output());

        assertThat(report.findings().lines()).as("%s", report.text()).isEmpty();
    }
}
