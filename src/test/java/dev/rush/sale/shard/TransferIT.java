package dev.rush.sale.shard;

import static dev.rush.sale.shard.ShardScene.SHARDS;
import static dev.rush.sale.shard.ShardScene.SOON;
import static dev.rush.sale.shard.ShardScene.assertConserved;
import static dev.rush.sale.shard.ShardScene.sum;
import static dev.rush.sale.shard.ShardScene.userOf;
import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Units that move between the shards of a sale (S4, P2): none is lost or created, whichever pod
 * dies at whatever point. Random choices print their seed, which {@code -Drush.seed} sets.
 */
class TransferIT {
    /** Enough sales for one read of each to exceed all other calls. */
    private static final int MANY = 250;
    /** Some rounds of the keeper. */
    private static final int ROUNDS_MS = 4_000;
    /** More notes than a pod reads from a partition at once. */
    private static final int NOTES = 300;
    /** A deadline that no script reaches. */
    private static final String NEVER = "99999999999999";
    private static ShardScene scene;

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        scene = new ShardScene("transfer");
    }

    @AfterAll
    static void stop() {
        scene.close();
    }

    @Test
    @DisplayName("P5, P6, S4: carts are sold as long as all shards together have the units")
    void quantitiesAreGatheredUnderContention() {
        System.out.println("-Drush.seed=" + seed);
        for (int round = 0; round < 6; round++) {
            TestSale sale = scene.sale("apple:30:0,pear:30:0");
            int[] wanted = random.ints(60, 1, 7).toArray();
            List<Answer> answers = Api.rush(wanted.length, 20, i -> sale.through(
                    scene.pod(i).api()).buyAsync(fresh("user"),
                    "apple:" + wanted[i] + ",pear:" + wanted[i]));
            long sold = 0;
            for (int i = 0; i < wanted.length; i++) {
                sold += answers.get(i).status() == 201 ? wanted[i] : 0;
            }
            assertThat(answers).as("seed %d", seed).allMatch(answer -> answer.status() == 201
                    || answer.word().equals("sold-out")
                    || answer.word().equals("insufficient-stock"));
            assertThat(sum(sale, "apple:ordered")).isEqualTo(sum(sale, "pear:ordered"))
                    .isEqualTo(sold);
            long left = 30 - sold;
            if (left > 0) {
                is(201, sale.buy(fresh("user"), "apple:" + left + ",pear:" + left));
            }
            refused(sale.buy(fresh("user"), "apple"), "sold-out");
            assertConserved(sale, "apple", 30);
            assertConserved(sale, "pear", 30);
        }
    }

    @Test
    @DisplayName("S4: a transfer that stopped after any step is completed once by another pod")
    void interruptedTransfersAreCompletedByOthers() {
        System.out.println("-Drush.seed=" + seed);
        for (int round = 0; round < 10; round++) {
            TestSale sale = scene.sale("apple:60:0");
            for (int i = 0; i < 6; i++) {
                int source = random.nextInt(SHARDS);
                stopHalfWay(sale, source, (source + 1 + random.nextInt(2)) % SHARDS,
                        1 + random.nextInt(4), random.nextInt(4));
            }
            List<Answer> answers = Api.rush(90, 30, i -> sale.through(
                    scene.pod(i).api()).buyAsync(fresh("user"), "apple"));
            assertThat(answers.stream().collect(groupingBy(Answer::word, counting())))
                    .as("seed %d", seed).isEqualTo(Map.of("", 60L, "sold-out", 30L));
            assertConserved(sale, "apple", 60);
        }
    }

    @Test
    @DisplayName("S4: a transfer that no purchase needs is completed some seconds later")
    void forgottenTransferIsCompletedInTheBackground() {
        TestSale sale = scene.sale("apple:30:0");
        is(200, sale.view());
        stopHalfWay(sale, 0, 1, 3, 0);
        takenAt(sale, 9_999_999_999L); // In the far future, so that it is not completed yet.
        assertThat(sum(sale, "apple:total")).isLessThan(30);
        assertThat(is(200, sale.view()).body().at("/items/0/left").asLong()).isEqualTo(30);
        Await.until("the pod reports it", SOON,
                () -> scene.first().metric("rush_transfers_pending") == 1);
        takenAt(sale, 1);
        assertConserved(sale, "apple", 30);
        Await.until("the pod reports its end", SOON,
                () -> scene.first().metric("rush_transfers_pending") == 0);
    }

    /** Changes when the transfer that left the first shard was taken, in seconds. */
    private static void takenAt(TestSale sale, long seconds) {
        Partition from = sale.shards().get(0);
        sale.hash(from, "transfers").forEach((id, entry) -> sale.onKey(
                sale.key(from, "transfers"), "HSET", id,
                entry.substring(0, entry.lastIndexOf(' ') + 1) + seconds));
    }

    @Test
    @DisplayName("S4: interrupted operations are found without reading every sale")
    void interruptedTransferAndPauseAreFoundAmongManySales() {
        TestSale sale = scene.sale("apple:30:0");
        for (int i = 0; i < MANY; i++) {
            TestSale copy = scene.copy(sale);
            is(200, copy.view());
        }
        stopHalfWay(sale, 0, 1, 3, 0);
        Partition first = sale.shards().get(0);
        sale.redis("EVAL", Script.load("offer/control").text(), "2",
                sale.key(first, "conf"), first.key("unfinished"),
                NEVER, "pause", "unknown-sale", "-", ShardScripts.controlNote(sale.id()),
                "-", "", "");
        assertConserved(sale, "apple", 30);
        Await.until("all shards are paused and nothing is noted", SOON, () ->
                sale.shards().partitions().stream().allMatch(shard ->
                        sale.hash(shard, "conf").get("paused").equals("1")
                        && sale.onKey(shard.key("unfinished"), "HLEN").equals(1L)));
        try (Resp redis = sale.resp()) {
            long before = redis.calls("eval");
            Await.sleep(ROUNDS_MS);
            assertThat(redis.calls("eval") - before).as("scripts in rounds that find nothing")
                    .isLessThan(MANY);
        }
    }

    @Test
    @DisplayName("S4, P11: an interrupted pause is completed despite many other notes")
    void interruptedPauseIsCompletedAmongManyNotes() {
        TestSale sale = scene.sale("apple:30:0");
        Partition first = sale.shards().get(0);
        String[] others = new String[NOTES];
        // As in sales that borrow all the time: the next round finds their notes again.
        Arrays.setAll(others, i -> ShardScripts.transferNote("other-" + i));
        for (int i = 0; i < NOTES; i++) {
            sale.onKey(first.key("sale:other-" + i + ":transfers"), "HSET", "under-way", "");
            sale.onKey(first.key("unfinished"), "HSET", others[i], "");
        }
        try {
            sale.redis("EVAL", Script.load("offer/control").text(), "2",
                    sale.key(first, "conf"), first.key("unfinished"),
                    NEVER, "pause", "unknown-sale", "-", ShardScripts.controlNote(sale.id()),
                "-", "", "");
            Await.until("all shards are paused", SOON, () ->
                    sale.shards().partitions().stream().allMatch(shard ->
                            sale.hash(shard, "conf").get("paused").equals("1")));
        } finally {
            sale.onKey(first.key("unfinished"), "HDEL", others);
            for (int i = 0; i < NOTES; i++) {
                sale.onKey(first.key("sale:other-" + i + ":transfers"), "UNLINK");
            }
        }
    }

    /** Does the first steps of a transfer: take; give; give once more; all. */
    private static void stopHalfWay(
            TestSale sale, int source, int destination, int min, int steps) {
        String id = UUID.randomUUID().toString();
        String taken = run(ShardScripts.TAKE, sale, source, "transfers", id,
                Integer.toString(destination), "apple", Integer.toString(min),
                ShardScripts.transferNote(sale.id()));
        if (!taken.startsWith("taken ")) {
            return;
        }
        String[] words = taken.split(" ");
        for (int step = 1; step <= Math.min(2, steps); step++) {
            assertThat(run(ShardScripts.GIVE, sale, destination, "received", id, words[1], "apple",
                    words[2])).isEqualTo(step == 1 ? "given" : "repeated");
        }
        if (steps == 3) {
            Partition from = sale.shards().get(source);
            sale.onKey(sale.key(from, "transfers"), "HDEL", id);
        }
    }

    private static String run(
            Script script, TestSale sale, int shard, String third, String... args) {
        Partition partition = sale.shards().get(shard);
        List<String> words = new ArrayList<>(List.of("EVAL", script.text(), "4"));
        for (String part : List.of("conf", "stock", third)) {
            words.add(sale.key(partition, part));
        }
        words.add(partition.key("unfinished"));
        words.addAll(List.of(args));
        return (String) sale.redis(words.toArray(String[]::new));
    }

    @Test
    @DisplayName("S4: pods that are killed during transfers neither lose nor create units")
    void podKilledDuringTransfersLosesNothing() {
        System.out.println("-Drush.seed=" + seed);
        for (int round = 0; round < 2; round++) {
            List<TestSale> sales = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sales.add(scene.sale("apple:60:0"));
            }
            List<CompletableFuture<Answer>> calls = new ArrayList<>();
            try (Pod doomed = scene.start("doomed")) {
                sales.forEach(sale -> is(200, doomed.api().get(sale.path())));
                for (int i = 0; i < 40; i++) {
                    for (TestSale sale : sales) {
                        calls.add(sale.through(doomed.api()).buyAsync(userOf(sale, 0), "apple"));
                    }
                }
                long answers = random.nextInt(calls.size() / 2);
                Await.until("some are answered", SOON, () -> calls.stream()
                        .filter(CompletableFuture::isDone).count() >= answers);
                doomed.kill();
            }
            calls.forEach(call -> call.handle((answer, failure) -> answer).join());
            for (TestSale sale : sales) {
                long before = sum(sale, "apple:ordered");
                List<Answer> answers = Api.rush(70, 30,
                        i -> sale.buyAsync(userOf(sale, i % SHARDS), "apple"));
                assertThat(answers.stream().collect(groupingBy(Answer::word, counting())))
                        .as("seed %d", seed)
                        .isEqualTo(words(60 - before, 70 - (60 - before)));
                assertConserved(sale, "apple", 60);
            }
        }
    }

    private static Map<String, Long> words(long accepted, long soldOut) {
        return accepted == 0 ? Map.of("sold-out", soldOut)
                : Map.of("", accepted, "sold-out", soldOut);
    }
}
