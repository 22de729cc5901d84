package dev.rush.sale.shard;

import static dev.rush.sale.shard.ShardScene.SHARDS;
import static dev.rush.sale.shard.ShardScene.SOON;
import static dev.rush.sale.shard.ShardScene.assertConserved;
import static dev.rush.sale.shard.ShardScene.counter;
import static dev.rush.sale.shard.ShardScene.sum;
import static dev.rush.sale.shard.ShardScene.userOf;
import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A sale in shards sells like one without (S4, P2, P5, P11), and sold-out is never premature.
 * Random choices print their seed, which {@code -Drush.seed} sets.
 */
class ShardsIT {
    private static ShardScene scene;

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeAll
    static void start() {
        scene = new ShardScene("shards");
    }

    @AfterAll
    static void stop() {
        scene.close();
    }

    @Test
    @DisplayName("S4: the total is split over shards in separate partitions, and the view adds up")
    void totalIsSplitOverTheShards() {
        TestSale sale = scene.sale("apple:100:0,pear:1:0,fig:0:0");
        assertThat(sale.shards().partitions()).extracting(Partition::index).doesNotHaveDuplicates();
        assertThat(List.of(counter(sale, 0, "apple:total"), counter(sale, 1, "apple:total"),
                counter(sale, 2, "apple:total"))).containsExactly(34L, 33L, 33L);
        assertThat(sum(sale, "pear:total")).isEqualTo(1);
        for (int shard = 0; shard < SHARDS; shard++) {
            sale.bought(userOf(sale, shard), "apple:2");
            assertThat(counter(sale, shard, "apple:ordered")).isEqualTo(2);
        }
        Answer view = is(200, sale.control("resume"));
        assertThat(view.body().at("/items/0/left").asLong()).isEqualTo(94);
        assertThat(view.body().at("/items/0/total").asLong()).isEqualTo(100);
        assertThat(view.body().path("shards").asInt()).isEqualTo(SHARDS);
        Answer list = is(200, scene.first().api().asOperator().get("/v1/sales?limit=100"));
        assertThat(list.body().path("sales").findValuesAsText("sale")).contains(sale.id())
                .doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("S4: one home shard sells all units, and borrows from all other shards")
    void oneHomeSellsAllUnits() {
        TestSale sale = scene.sale("apple:9:0,pear:3:0");
        String user = userOf(sale, 1);
        assertThat(refused(sale.buy(user, "apple:10"), "insufficient-stock")
                .body().path("left").asLong()).isEqualTo(9);
        is(201, sale.buy(user, "apple:7,pear:3"));
        assertThat(refused(sale.buy(user, "apple:1,pear:1"), "sold-out")
                .body().path("sku").asText()).isEqualTo("pear");
        assertThat(refused(sale.buy(userOf(sale, 0), "apple:3"), "insufficient-stock")
                .body().path("left").asLong()).isEqualTo(2);
        is(201, sale.buy(userOf(sale, 0), "apple:2"));
        for (int shard = 0; shard < SHARDS; shard++) {
            refused(sale.buy(userOf(sale, shard), "apple"), "sold-out");
        }
        assertConserved(sale, "apple", 9);
        assertConserved(sale, "pear", 3);
        assertThat(scene.first().metric("rush_transfers_total")).isPositive();
        assertThat(scene.first().metric("rush_transfers_units_total")).isPositive();
    }

    @Test
    @DisplayName("P11, S4: lowering takes from all shards or not at all; raising sells everywhere")
    void totalIsLoweredOverTheShards() {
        TestSale sale = scene.sale("apple:30:0");
        is(201, sale.buy(userOf(sale, 0), "apple:10"));
        is(201, sale.buy(userOf(sale, 1), "apple:4"));
        assertThat(refused(sale.total("apple", 13), "below-ordered")
                .body().path("ordered").asLong()).isEqualTo(14);
        assertThat(sum(sale, "apple:total")).isEqualTo(30);
        assertThat(is(200, sale.total("apple", 15)).body().at("/items/0/left").asLong())
                .isEqualTo(1);
        assertConserved(sale, "apple", 15);
        is(201, sale.buy(userOf(sale, 2), "apple"));
        refused(sale.buy(userOf(sale, 1), "apple"), "sold-out");
        assertThat(refused(sale.total("apple", 14), "below-ordered")
                .body().path("ordered").asLong()).isEqualTo(15);
        is(200, sale.total("apple", 40));
        is(201, sale.buy(userOf(sale, 1), "apple:25"));
        refused(sale.buy(userOf(sale, 2), "apple"), "sold-out");
        assertConserved(sale, "apple", 40);
    }

    @Test
    @DisplayName("P11: a pause that reached only the first shard is applied to the others")
    void halfDonePauseIsCompleted() {
        TestSale sale = scene.sale("apple:100000:0");
        is(200, sale.view());
        sale.redis("HSET", sale.key("conf"), "paused", "1");
        for (int shard = 0; shard < SHARDS; shard++) {
            String user = userOf(sale, shard);
            // Without a note, as after a failover that lost the pause, a read of the sale finds it.
            Await.until("shard " + shard + " is paused", SOON, () -> sale.view().status() == 200
                    && sale.buy(user, "apple").word().equals("paused"));
        }
        assertThat(is(200, sale.view()).body().path("state").asText()).isEqualTo("paused");
        is(200, sale.control("resume"));
        for (int shard = 0; shard < SHARDS; shard++) {
            is(201, sale.buy(userOf(sale, shard), "apple"));
        }
    }

    @Test
    @DisplayName("P2, S4: two pods sell few units to many buyers, and no sold-out is premature")
    void soldOutIsNeverAnsweredWhileAUnitIsLeft() {
        System.out.println("-Drush.seed=" + seed);
        for (int round = 0; round < 40; round++) {
            int supply = 1 + random.nextInt(12);
            TestSale sale = scene.sale("apple:" + supply + ":0");
            is(200, scene.second().api().get(sale.path()));
            int buyers = supply + 20 + random.nextInt(60);
            int few = random.nextInt(SHARDS);
            boolean oneSided = random.nextBoolean();
            List<Timed> seen = Collections.synchronizedList(new ArrayList<>());
            Api.rush(buyers, 40, i -> {
                String user = oneSided ? userOf(sale, few) : fresh("user");
                Api buyer = scene.pod(i).api().as(user);
                long start = System.nanoTime();
                return (i % 3 == 0 ? buyer.key("k") : buyer)
                        .postAsync(sale.purchases(), TestSale.body("apple"))
                        .whenComplete((answer, failure) ->
                                seen.add(new Timed(answer, start, System.nanoTime())));
            });
            String evidence = "seed " + seed + ", round " + round + ", sale " + sale.id();
            assertThat(seen.stream().collect(groupingBy(Timed::word, counting()))).as(evidence)
                    .isEqualTo(Map.of("", (long) supply, "sold-out", (long) buyers - supply));
            long lastBegan = seen.stream().filter(timed -> timed.word().isEmpty())
                    .mapToLong(Timed::start).max().orElseThrow();
            assertThat(seen.stream().filter(timed -> timed.word().equals("sold-out")))
                    .as("sold-out only after every unit had a buyer; " + evidence)
                    .allMatch(timed -> timed.end > lastBegan);
            assertConserved(sale, "apple", supply);
        }
    }

    @Test
    @DisplayName("P2, S4: with as many units as buyers, no unit in transfer causes a refusal")
    void nobodyIsRefusedBecauseAUnitIsInTransfer() {
        System.out.println("-Drush.seed=" + seed);
        for (int round = 0; round < 30; round++) {
            int supply = 3 + random.nextInt(30);
            TestSale sale = scene.sale("apple:" + supply + ":0");
            is(200, scene.second().api().get(sale.path()));
            int left = random.nextInt(SHARDS);
            // All buyers have two homes, which borrow from the third shard and from each other.
            List<Answer> answers = Api.rush(supply, supply, i -> sale
                    .through(scene.pod(random.nextInt(2)).api())
                    .buyAsync(userOf(sale, (left + 1 + random.nextInt(2)) % SHARDS), "apple"));
            assertThat(answers).as("seed %d, round %d, sale %s", seed, round, sale.id())
                    .allMatch(answer -> answer.status() == 201);
        }
    }

    /** An answer, with the times of its request and arrival. */
    private record Timed(Answer answer, long start, long end) {
        String word() {
            return answer.word();
        }
    }
}
