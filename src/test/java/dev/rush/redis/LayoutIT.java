package dev.rush.redis;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class LayoutIT extends LayoutSuite {

    private EmbeddedRedis redis;

    @Override
    Environment start() {
        redis = EmbeddedRedis.start();
        return Environments.on("layout", redis);
    }

    @Override
    void stop() {
        redis.close();
    }
}
