package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import dev.rush.redis.Slots;
import dev.rush.testing.Resp;
import dev.rush.testing.Sources;
import io.vertx.redis.client.RedisClientType;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** X7: each script checks that its data has a known layout; layouts only grow. */
class LayoutTest {

    private static final Path LUA = Path.of("src/main/resources/lua");
    private static final String LAYOUT = "redis/layout";
    private static final String KEY = "rush:{p07}:layout";
    private static final String SEQ = "rush:{p07}:seq";
    private static EmbeddedRedis redis;
    private static Resp resp;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        resp = Resp.connect(redis.port());
    }

    @AfterAll
    static void stop() {
        resp.close();
        redis.close();
    }

    @BeforeEach
    void empty() {
        resp.command("FLUSHALL");
    }

    static Stream<String> scripts() {
        return Sources.files(LUA.toString(), ".lua").stream()
                .map(path -> LUA.relativize(path).toString().replace(".lua", ""))
                .filter(name -> !name.equals(LAYOUT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void scriptRefusesDataOfAnUnknownLayout(String name) {
        Script script = Script.load(name);
        for (String layout : new String[] {"none", "0", "1x", Integer.toString(
                Layout.newest() + 1)}) {
            if (!layout.equals("none")) {
                resp.command("SET", KEY, layout);
            }
            // No other key or argument: anything that it did before the check would fail otherwise.
            assertThatThrownBy(() -> resp.command("EVAL", script.sent(), "1", KEY))
                    .hasMessage("LAYOUT " + layout);
        }
        assertThat(resp.number("DBSIZE")).isEqualTo(1);
    }

    @Test
    void onlyScriptsWriteDataOfALayout() {
        Pattern writing = Pattern.compile("\"(?:XADD|HSET|HINCRBY|ZADD|RPUSH|SADD|INCRBY)\"");
        // Pods' reports have no layout, because they are rewritten every second.
        assertThat(Sources.files("src/main/java", ".java"))
                .filteredOn(file -> !file.endsWith("PodReports.java"))
                .noneMatch(file -> writing.matcher(Sources.text(file)).find());
    }

    @Test
    void layoutKeyIsTheLastOfACallAndSharesItsSlot() {
        Keys named = Gate.keys("a", "layout");
        String call = Script.load("offer/control").request(Gate.keys("a"), true).toString();
        assertThat(call.lines().filter(line -> line.startsWith("rush:")).toList())
                .isEqualTo(named.texts());
        assertThat(call).contains("\n2\r\n$15\r\n" + named.texts().get(0));
        assertThat(named.texts()).allMatch(key -> Slots.of(key) == named.partition().slot());
    }

    @Test
    void emptyTagGetsALayoutOnce() {
        assertThat(layout("", "1")).isEqualTo("1");
        assertThat(layout("", "2")).as("another was first").isEqualTo("1");
    }

    @Test
    void dataWithoutALayoutStaysWithoutOne() {
        resp.command("SET", SEQ, "7");
        assertThat(layout("", "1")).isEqualTo("unversioned");
        assertThat(resp.number("EXISTS", KEY)).isZero();
    }

    @Test
    void layoutIsRaisedOnlyFromTheKnownOne() {
        layout("", "2");
        resp.command("SET", SEQ, "7");
        assertThat(layout("1", "2")).isEqualTo("2");
        assertThat(layout("2", "3")).isEqualTo("3");
        assertThat(layout("1", "2")).as("it never goes back").isEqualTo("3");
        resp.command("DEL", KEY);
        assertThat(layout("3", "4")).as("it was emptied meanwhile").isEmpty();
    }

    @Test
    void readOfAnUnknownLayoutFails() throws Exception {
        Partition partition = Gate.PARTITIONS.all().get(7);
        Keys stream = partition.keys().orders();
        resp.command("XADD", partition.key("orders"), "1-1", "purchase", "words");
        try (Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
                Map.of("rush.deadline", "PT30S", "rush.redis.connect", "PT1S"), loss -> { })) {
            resp.command("SET", partition.key(Layout.NAME), Integer.toString(Layout.newest()));
            assertThat(gate.commands.read("XRANGE", stream, "-", "+").join().size())
                    .isEqualTo(1);
            resp.command("SET", partition.key(Layout.NAME), "97");
            assertThatThrownBy(gate.commands.read("XRANGE", stream, "-", "+")::join)
                    .hasRootCauseInstanceOf(RedisFailure.class)
                    .hasRootCauseMessage("LAYOUT 97");
        }
    }

    private static String layout(String known, String wanted) {
        return resp.text("EVAL", LayoutScripts.LAYOUT.sent(), "2", KEY, SEQ, known, wanted);
    }
}
