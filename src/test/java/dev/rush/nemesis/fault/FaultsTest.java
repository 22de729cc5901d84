package dev.rush.nemesis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A run chooses its faults by name or by what they may lose. */
class FaultsTest {

    @Test
    void losslessFaultsLoseNothingInEitherStore() {
        assertThat(Faults.of("lossless")).extracting(Fault::name)
                .contains("killed-ledger", "planned-failover")
                .doesNotContain("killed-master", "emptied-redis", "promoted-standby");
    }

    @Test
    void aNameAddsALossyFaultToTheLosslessOnes() {
        assertThat(Faults.of("lossless,promoted-standby")).extracting(Fault::name)
                .contains("killed-ledger", "promoted-standby").doesNotContain("killed-master");
    }
}
