package dev.rush.redis;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.AclUser;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.OwnRedis;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * S3: the Redis user of the manifests may run every command that the service sends, and no harmful
 * one. The pod uses it; the tests inspect Redis as the default user. Redis logs what it refuses a
 * user, and this log must stay empty.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "cluster: {0}")
@ValueSource(booleans = {false, true})
class AclIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private Environment environment;
    private Pod pod;
    private OwnRedis redis;

    @Parameter
    boolean clustered;

    @BeforeParameterizedClassInvocation
    void start() {
        redis = OwnRedis.start(clustered);
        environment = Environments.inShards(redis.environment("acl"));
        onEachNode(AclUser::create);
        Map<String, String> config = new HashMap<>(Map.of(
                "rush.orders.sink", "postgres", "rush.confirm-by", "buyer",
                "rush.rate-limit.enabled", "false", "rush.retention", "PT2S",
                "rush.writer.lease", "PT1S", "rush.writer.tries", "1",
                "rush.expiry.interval", "PT0.2S", "rush.books.interval", "PT1S",
                "rush.returns.retry", "PT0.3S"));
        config.putAll(AclUser.config(environment.redisHosts()));
        pod = Environments.startPod("acl-" + environment.name(), environment, config);
        environment = Environments.with(pod, environment);
    }

    @AfterParameterizedClassInvocation
    void stop() {
        if (pod != null) {
            pod.close();
        }
        redis.close();
    }

    private void onEachNode(Consumer<Resp> task) {
        for (Resp node : redis.nodes()) {
            try (node) {
                task.accept(node);
            }
        }
    }

    private void assertNothingWasRefused() {
        onEachNode(node -> assertThat(node.list("ACL", "LOG")).as("refused by Redis").isEmpty());
        assertThat(pod.log()).doesNotContain("NOPERM");
    }

    private Api operator() {
        return pod.api().asOperator();
    }

    private TestSale sale(String items, String more) {
        TestSale sale = TestSale.unknown(environment);
        Await.until("the sale is prepared", SOON, () -> operator().put(sale.path(),
                sale.sharded(TestSale.definition(items, more))).status() == 201, pod::log);
        return sale;
    }

    /** Buys while no writer can store the order, and removes it from the stream. */
    private String boughtAndLostFromStream(TestSale sale, String user) {
        Partition home = sale.shards().of(user);
        try (Connection connection = DriverManager.getConnection(environment.ledgerUrl());
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT 1 FROM partitions WHERE partition = " + home.index()
                    + " FOR UPDATE");
            String order = sale.bought(user, "pear");
            sale.onKey(home.key("orders"), "XTRIM", "MAXLEN", "0");
            connection.rollback();
            return order;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void sql(String statement) {
        try (Connection connection = DriverManager.getConnection(environment.ledgerUrl());
                Statement call = connection.createStatement()) {
            call.execute(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    private Answer awaitStatus(TestSale sale, String order, String status) {
        Supplier<Answer> read = () -> operator().get(sale.path() + "/orders/" + order);
        Await.until(order + " is " + status, SOON, () -> read.get().body().path("status").asText()
                .equals(status), () -> read.get() + "\n" + pod.log());
        return read.get();
    }

    private void awaitBalanced(TestSale sale) {
        Await.until("the books balance", SOON, () -> operator().get(sale.path() + "/books").body()
                .path("verdict").asText().equals("balanced"),
                () -> operator().get(sale.path() + "/books") + "\n" + pod.log());
    }

    @Test
    @DisplayName("The ACL user can run a sale in shards from preparation to retirement")
    void saleIsSoldPaidReturnedRepairedAndRetired() {
        TestSale sale = sale("apple:9:0,pear:100:2",
                "'paymentWindow':'PT1H','duplicateGuard':'cart','duplicateGuardWindow':'PT0.1S'");
        is(200, sale.view());
        is(200, operator().get("/v1/sales"));
        is(200, sale.control("pause"));
        refused(sale.buy("ann", "apple"), "paused");
        is(200, sale.control("resume"));
        // More than any shard has, so units are moved between shards.
        Answer first = is(201, sale.buy("ann", "apple:7", "key"));
        assertThat(sale.buy("ann", "apple:7", "key").header("Idempotency-Replayed"))
                .isEqualTo("true");
        refused(sale.buy("bob", "apple:3"), "insufficient-stock");
        String paid = first.body().path("order").asText();
        String back = sale.bought("bob", "pear");
        is(200, pod.api().as("bob").get(sale.path() + "/orders"));
        awaitStatus(sale, paid, "reserved");
        awaitStatus(sale, back, "reserved");
        is(200, pod.api().as("ann").post(sale.path() + "/orders/" + paid + "/confirm"));
        is(200, pod.api().as("bob").post(sale.path() + "/returns",
                "{\"order\":\"" + back + "\"}"));
        is(202, pod.api().as("eve").post(sale.path() + "/returns",
                "{\"idempotencyKey\":\"never-seen\"}"));
        is(200, sale.total("apple", 12));
        is(200, sale.total("apple", 10));
        awaitBalanced(sale);

        // Redis loses the sale, then an order's entry in the stream, then a unit.
        for (String part : List.of("conf", "stock", "buyers")) {
            sale.delete(part);
        }
        Await.until("the loss is noticed", SOON, () -> sale.buy("cat", "apple").word()
                .equals("not-loaded"), pod::log);
        Answer rebuilt = operator().post(sale.path() + "/books/repair");
        assertThat(rebuilt.body().toString()).contains("rebuilt");
        awaitBalanced(sale);
        String late = boughtAndLostFromStream(sale, "dan");
        Await.until("the order is queued again", SOON, () -> {
            operator().post(sale.path() + "/books/repair");
            return operator().get(sale.path() + "/orders/" + late + "?user=dan").body()
                    .path("status").asText().equals("reserved");
        }, pod::log);
        sale.onKey(sale.keyOf("dan", "stock"), "HINCRBY", "pear:ordered", "1");
        Await.until("it is repaired", SOON, () -> operator().post(sale.path() + "/books/repair")
                .body().at("/books/verdict").asText().equals("balanced"), pod::log);

        // Orders that are long overdue are polled only once a minute.
        sql("UPDATE reservations SET pay_by_ms = (extract(epoch FROM now()) * 1000)::bigint - 1000"
                + " WHERE order_id = '" + late + "'");
        awaitStatus(sale, late, "expired");
        is(200, sale.control("close"));
        Await.until("the sale has left Redis", Duration.ofSeconds(60),
                () -> sale.size("buyers") == 0 && sale.hash("conf").isEmpty(), pod::log);
        assertNothingWasRefused();
    }

    @Test
    @DisplayName("The ACL user can keep and replay dead letters, and block users")
    void deadLettersAndBlocklistWork() {
        TestSale sale = sale("apple:9:0", "");
        sale.redis("XADD", sale.partition().key("orders"), "*", "purchase", "of nothing");
        Await.until("the dead letter is kept", SOON, () -> operator().get("/v1/dead-letters")
                .body().toString().contains("of nothing"), pod::log);
        String letter = operator().get("/v1/dead-letters").body().findValue("id").asText();
        is(200, operator().post("/v1/dead-letters/" + letter + "/replay"));

        is(204, operator().put("/v1/blocklist/mallory", null));
        refused(sale.buy("mallory", "apple"), "blocked");
        is(200, operator().get("/v1/blocklist"));
        is(204, operator().get("/v1/blocklist/mallory"));
        is(204, operator().delete("/v1/blocklist/mallory"));
        is(201, sale.buy("mallory", "apple"));
        assertNothingWasRefused();
    }

    @Test
    @DisplayName("The ACL user can run a rain from preparation to retirement")
    void rainIsGrabbedAndRetired() {
        TestRain rain = TestRain.unknown(environment);
        is(201, rain.prepare(TestRain.listed("", 5, 6, 7)));
        is(200, operator().get("/v1/rains"));
        is(201, rain.grab("ann", "key"));
        assertThat(rain.grab("ann", "key").header("Idempotency-Replayed")).isEqualTo("true");
        is(201, rain.grab("bob"));
        is(200, rain.view());
        rain.grabs("ann");
        is(200, rain.leaderboard("?top=2"));
        is(200, rain.leaderboard("?by=user"));
        is(200, rain.control("close"));
        Await.until("the books balance", SOON, () -> operator().get(rain.path() + "/books").body()
                .path("verdict").asText().equals("balanced"), pod::log);
        Await.until("the rain has left Redis", Duration.ofSeconds(60),
                () -> rain.redis("EXISTS", rain.key("conf")).equals(0L), pod::log);
        assertNothingWasRefused();
    }

    @Test
    @DisplayName("The ACL user cannot empty, configure or monitor Redis, or touch foreign keys")
    void harmfulCommandsAreRefused() {
        String own = "rush:{p00}:anything";
        try (Resp user = environment.resp(own)) {
            user.command("AUTH", AclUser.NAME, AclUser.PASSWORD);
            for (String harmful : List.of("FLUSHALL", "FLUSHDB", "CONFIG GET *",
                    "CONFIG SET maxmemory 1", "KEYS *", "KEYS rush:*", "SCAN 0", "RANDOMKEY",
                    "SHUTDOWN NOSAVE", "MONITOR", "ACL LIST", "ACL WHOAMI",
                    "CLIENT LIST", "CLIENT KILL TYPE normal", "SCRIPT FLUSH", "SCRIPT KILL",
                    "FUNCTION LIST", "REPLICAOF NO ONE", "CLUSTER RESET", "CLUSTER FAILOVER",
                    "SAVE", "BGREWRITEAOF", "SWAPDB 0 1", "MIGRATE 127.0.0.1 1 x 0 1",
                    "PUBLISH rush x", "SUBSCRIBE rush", "RESTORE " + own + " 0 x",
                    "DUMP " + own, "RENAME " + own + " " + own, "GET foreign",
                    "SET foreign x", "DEL foreign", "EVAL return 1 foreign")) {
                String[] words = harmful.startsWith("EVAL")
                        ? new String[] {"EVAL", "return 1", "1", "foreign"} : harmful.split(" ");
                assertThatThrownBy(() -> user.command(words)).as(harmful)
                        .hasMessageStartingWith("NOPERM");
            }
            for (String script : List.of("redis.call('FLUSHALL')", "redis.call('KEYS', '*')")) {
                assertThatThrownBy(() -> user.command("EVAL", script, "1", own))
                        .as(script).hasMessageContaining("The user executing the script can't");
            }
        } finally {
            onEachNode(node -> node.command("ACL", "LOG", "RESET"));
        }
    }
}
