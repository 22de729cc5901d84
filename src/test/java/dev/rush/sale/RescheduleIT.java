package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** Rescheduling sales in one shard. */
class RescheduleIT extends RescheduleSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
