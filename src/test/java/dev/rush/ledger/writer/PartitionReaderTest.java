package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader with a real stream and a real journal. */
class PartitionReaderTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(0);
    private static EmbeddedRedis redis;
    private static TestJournal journal;
    private static Gate gate;
    private static Resp resp;

    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
    private final ExecutorService workers = Executors.newFixedThreadPool(1);
    private final RecordingOwner owner = new RecordingOwner();
    private final StoreScene scene = new StoreScene(journal);

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
        redis = EmbeddedRedis.start();
        resp = Resp.connect(redis.port());
        resp.command("SET", PARTITION.key(Layout.NAME), Integer.toString(Layout.newest()));
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), Map.of(),
                loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        gate.close();
        resp.close();
        redis.close();
        journal.close();
    }

    @AfterEach
    void end() {
        scheduler.shutdownNow();
        workers.shutdownNow();
    }

    private PartitionReader reader() {
        return new PartitionReader(new ReaderTools(
                new OrderStream(gate.commands, gate.router), scene.store, scheduler, workers,
                journal.config.writer()), owner, PARTITION, scene.token());
    }

    /** One that has not met the sale before. */
    private PartitionReader readerOfAnotherWriter() {
        StoreScene other = new StoreScene(journal);
        return new PartitionReader(new ReaderTools(
                new OrderStream(gate.commands, gate.router), other.store, scheduler, workers,
                journal.config.writer()), owner, PARTITION, other.token());
    }

    private static void enter(String text) {
        resp.command("XADD", PARTITION.key("orders"), "*", "purchase", text);
    }

    /** The words of an entry of one order. */
    private String words(String sale, UUID order, String lines, long at, String payBy) {
        long seq = scene.nextSeq();
        return sale + " " + at + " " + payBy + " " + seq + " " + seq + " u " + order + "  = "
                + lines + " 1";
    }

    /** An order in a buyer's record, after its state. */
    private static String line(UUID order) {
        return " " + order + "  = a:1 1 1 0 1\n";
    }

    private static void drained() {
        Await.until("the stream is empty", LIMIT,
                () -> resp.number("XLEN", PARTITION.key("orders")) == 0);
    }

    @Test
    @DisplayName("I15: a forged entry changes no payment deadline, no time and no item")
    void forgedEntries() {
        String sale = scene.sale(60_000, true, "a:9:0");
        long now = System.currentTimeMillis();
        UUID free = UUID.randomUUID();
        UUID late = UUID.randomUUID();
        List<UUID> strange = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
        enter(words(sale, free, "a:1", now, "0"));
        enter(words(sale, late, "a:1", now, "4102444800000"));
        enter(words(sale, strange.get(0), "a:1", now + Duration.ofDays(1).toMillis(), "0"));
        enter(words(sale, strange.get(1), "a:11", now, "0"));
        enter(words(sale, strange.get(2), "b:1", now, "0"));
        enter("nonsense");
        PartitionReader reader = reader();
        reader.start();
        drained();
        reader.stop();
        for (UUID order : List.of(free, late)) {
            assertThat(journal.find(sale, order).status()).isEqualTo(OrderStatus.RESERVED);
            assertThat(journal.find(sale, order).payBy()).isEqualTo(now + 60_000);
        }
        for (UUID order : strange) {
            assertThat(journal.find(sale, order)).isNull();
            assertThat(journal.sql("SELECT count(*) FROM retries WHERE order_id = '" + order
                    + "'")).isEqualTo("1");
        }
        assertThat(journal.sql("SELECT sold FROM items WHERE sale = '" + sale + "'"))
                .isEqualTo("2");
        journal.sql("DELETE FROM retries");
    }

    @Test
    @DisplayName("I15: an order that cannot be stored delays no other, and is stored later")
    void retries() {
        String sale = scene.sale("a:9:0");
        UUID fine = UUID.randomUUID();
        UUID early = UUID.randomUUID();
        enter(words(sale, early, "b:1", System.currentTimeMillis(), "0"));
        enter(words(sale, fine, "a:1", System.currentTimeMillis(), "0"));
        PartitionReader first = reader();
        first.start();
        drained();
        first.stop();
        assertThat(journal.find(sale, fine)).isNotNull();
        journal.sql("INSERT INTO items (sale, sku, total, limit_per_user) VALUES ('" + sale
                + "', 'b', 5, 0)");
        journal.sql("UPDATE retries SET next_at = now()");
        PartitionReader second = readerOfAnotherWriter();
        second.start();
        Await.until("it is stored", LIMIT, () -> journal.find(sale, early) != null);
        second.stop();
    }

    @Test
    @DisplayName("P8: a retry that is refused is marked in Redis, even if that fails at first")
    void refusedRetry() {
        String sale = scene.sale("a:9:0");
        UUID order = UUID.randomUUID();
        String buyers = PARTITION.key("sale:" + sale + ":buyers");
        resp.command("HSET", buyers, "u", "a" + line(order));
        enter(words(sale, order, "b:1", System.currentTimeMillis(), "0"));
        PartitionReader first = reader();
        first.start();
        drained();
        first.stop();
        journal.sql("INSERT INTO items (sale, sku, total, limit_per_user, sold) VALUES ('" + sale
                + "', 'b', 1, 0, 1)");
        journal.sql("UPDATE retries SET next_at = now()");
        owner.errors.put("stored", new StackOverflowError("thrown by the test"));
        PartitionReader second = readerOfAnotherWriter();
        second.start();
        Await.until("it is marked", LIMIT, () -> resp.list("HVALS", buyers)
                .equals(List.of("r" + line(order))));
        second.stop();
        assertThat(journal.find(sale, order).status()).isEqualTo(OrderStatus.REJECTED);
        assertThat(owner.errors).as("thrown").isEmpty();
    }

    @Test
    @DisplayName("I15: a refused order leaves the stream and is reported to the writer")
    void refusals() {
        String sale = scene.sale("a:1:0");
        UUID sold = UUID.randomUUID();
        UUID beyond = UUID.randomUUID();
        resp.command("HSET", PARTITION.key("sale:" + sale + ":buyers"), "u",
                "a" + line(sold) + "a" + line(beyond));
        enter(words(sale, sold, "a:1", System.currentTimeMillis(), "0"));
        enter(words(sale, beyond, "a:1", System.currentTimeMillis(), "0"));
        PartitionReader reader = reader();
        reader.start();
        drained();
        reader.stop();
        assertThat(owner.refused).extracting(Batch.Refused::id).containsExactly(beyond);
        assertThat(journal.find(sale, beyond).status()).isEqualTo(OrderStatus.REJECTED);
        assertThat(resp.list("HVALS", PARTITION.key("sale:" + sale + ":buyers")))
                .isEqualTo(List.of("a" + line(sold) + "r" + line(beyond)));
        assertThat(resp.list("XREVRANGE", PARTITION.key("decided"), "+", "-", "COUNT", "2")
                .toString()).contains("ids, " + sold).contains("!" + beyond);
        Await.until("this pod has the decision", LIMIT, () -> String.join(" ", owner.decided)
                .equals(sold + " !" + beyond));
        assertThat(resp.list("HMGET", PARTITION.key("ledger"), "seq", "epoch")).isEqualTo(
                List.of(journal.sql("SELECT seq FROM partitions WHERE partition = 0"),
                        journal.sql("SELECT epoch FROM ledger")));
    }

    /** More than are read at once. */
    @Test
    @DisplayName("L-10: new orders stay in the stream while what was lost is not stored again")
    void deferred() {
        String sale = scene.sale("a:99:0");
        List<UUID> fresh = Stream.generate(UUID::randomUUID).limit(40).toList();
        UUID lost = UUID.randomUUID();
        journal.sql("UPDATE partitions SET behind_since = now(), defers = true"
                + " WHERE partition = 0");
        long now = System.currentTimeMillis();
        fresh.forEach(order -> enter(words(sale, order, "a:1", now, "0")));
        enter(sale + " " + now + " 0 1 0 v " + lost + "  = a:1 1");
        PartitionReader reader = reader();
        reader.start();
        Await.until("the lost one is stored", LIMIT, () -> journal.find(sale, lost) != null);
        Await.until("it has left the stream", LIMIT,
                () -> resp.number("XLEN", PARTITION.key("orders")) == fresh.size());
        UUID later = UUID.randomUUID();
        enter(sale + " " + now + " 0 1 0 w " + later + "  = a:1 1");
        Await.until("a later lost one is stored", LIMIT, () -> journal.find(sale, later) != null);
        assertThat(scene.sold(sale)).isEqualTo("a:2");
        journal.sql("UPDATE partitions SET behind_since = NULL, defers = false");
        drained();
        reader.stop();
        assertThat(scene.sold(sale)).isEqualTo("a:42");
        assertThat(journal.sql("SELECT count(*) FROM (SELECT seq, lead(seq) OVER (ORDER BY block,"
                + " seq) AS next FROM orders WHERE sale = '" + sale + "' AND seq > 0) o"
                + " WHERE next < seq")).as("stored in their order").isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"found", "stored"})
    @DisplayName("I15: an Error, such as an OutOfMemoryError, does not stop a reader")
    void errors(String method) {
        String sale = scene.sale("a:9:0");
        owner.errors.put(method, new OutOfMemoryError("thrown by the test"));
        PartitionReader reader = reader();
        reader.start();
        enter(words(sale, UUID.randomUUID(), "a:1", System.currentTimeMillis(), "0"));
        drained();
        assertThat(scene.sold(sale)).isEqualTo("a:1");
        assertThat(owner.errors).as("thrown").isEmpty();
        reader.stop();
    }

    @Test
    @DisplayName("D1: if callers may wait for the ledger, the stream is watched for entries")
    void watches() {
        String sale = scene.sale("a:9:0");
        owner.watched = true;
        PartitionReader reader = reader();
        reader.start();
        for (int i = 0; i < 2; i++) {
            Await.until("it watches", LIMIT, () -> isWatched());
            UUID order = UUID.randomUUID();
            enter(words(sale, order, "a:1", System.currentTimeMillis(), "0"));
            Await.until("it is stored", LIMIT, () -> journal.find(sale, order) != null);
        }
        reader.stop();
        Await.until("it watches no longer", LIMIT, () -> !isWatched());
    }

    private static boolean isWatched() {
        return resp.command("CLIENT", "LIST").toString().contains("cmd=xread");
    }

    @Test
    @DisplayName("I15: a reader that has lost its partition stores nothing and stops")
    void fenced() {
        String sale = scene.sale("a:9:0");
        UUID order = UUID.randomUUID();
        PartitionReader reader = reader();
        journal.sql("UPDATE partitions SET token = token + 1 WHERE partition = 0");
        enter(words(sale, order, "a:1", System.currentTimeMillis(), "0"));
        reader.start();
        PartitionReader heir = reader();
        heir.start();
        Await.until("it is stored", LIMIT, () -> journal.find(sale, order) != null);
        drained();
        heir.stop();
        assertThat(journal.sql("SELECT DISTINCT token FROM blocks WHERE subjects = '{" + sale
                + "}'")).isEqualTo(Long.toString(heir.token()));
    }
}
