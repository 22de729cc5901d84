package dev.rush.scripts;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Resp;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Scenes of the scripts, which the mutation tests run too. */
class ScriptScenesTest {
    private static EmbeddedRedis redis;
    private static LuaScripts scripts;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        scripts = new LuaScripts(Resp.connect(redis.port()), Map.of());
    }

    @AfterAll
    static void stop() {
        scripts.redis().close();
        redis.close();
    }

    @TestFactory
    Stream<DynamicTest> scenes() {
        Map<String, Runnable> scenes = new LinkedHashMap<>(new BookScenes(scripts).all());
        scenes.putAll(new RebuildScenes(scripts).all());
        scenes.putAll(new ControlScenes(scripts).all());
        scenes.putAll(new LedgerScenes(scripts).all());
        scenes.putAll(new RainScenes(scripts).all());
        scenes.putAll(new ScheduleScenes(scripts).all());
        scenes.putAll(new OfferControlScenes(scripts).all());
        scenes.putAll(new StreamScenes(scripts).all());
        scenes.putAll(new PurchaseScenes(scripts).all());
        scenes.putAll(new TenureScenes(scripts).all());
        scenes.putAll(new ForwardScenes(scripts).all());
        return scenes.entrySet().stream()
                .map(scene -> DynamicTest.dynamicTest(scene.getKey(), scene.getValue()::run));
    }
}
