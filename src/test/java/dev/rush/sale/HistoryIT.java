package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class HistoryIT extends HistorySuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
