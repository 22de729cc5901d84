package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.StrictPods;

class RainPrecedenceIT extends RainPrecedenceSuite {
    @Override
    Environment environment() {
        return StrictPods.single();
    }
}
