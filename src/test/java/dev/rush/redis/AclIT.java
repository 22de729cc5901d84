package dev.rush.redis;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import java.util.List;

class AclIT extends AclSuite {
    private EmbeddedRedis redis;

    @Override
    Environment startRedis() {
        redis = EmbeddedRedis.start();
        return Environments.on("acl", redis);
    }

    @Override
    void stopRedis() {
        redis.close();
    }

    @Override
    List<Resp> nodes() {
        return List.of(Resp.connect(redis.port()));
    }
}
