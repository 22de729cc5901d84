package dev.rush.sale.shard;

import static dev.rush.sale.shard.ShardScene.SHARDS;
import static dev.rush.sale.shard.ShardScene.assertConserved;
import static dev.rush.sale.shard.ShardScene.userOf;
import static dev.rush.testing.Answers.is;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Shards on different masters cannot be read at one instant, but answers are as if they were. */
class TransferClusterIT {
    private final Environment environment = Environments.inShards(Environments.cluster());
    private final TestSale sale = TestSale.of(environment, "apple:1:0");
    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    @DisplayName("S4: a unit that is always on the move is never overlooked")
    void unitOnTheMoveIsNeverOverlooked() throws InterruptedException {
        Thread mover = new Thread(this::keepMoving);
        mover.start();
        List<Answer> answers = Api.rush(600, 30,
                i -> sale.buyAsync(userOf(sale, i % SHARDS), "apple:2"));
        over.set(true);
        mover.join();
        assertThat(answers.stream().map(Answer::word).distinct()).as("while one unit is left")
                .isSubsetOf("insufficient-stock", "unavailable");
        is(201, sale.buy(fresh("user"), "apple"));
        assertConserved(sale, "apple", 1);
        assertThat(ShardScene.sum(sale, "apple:received")).as("moves").isGreaterThan(50);
    }

    /** Makes one transfer after the other, as fast as possible. */
    private void keepMoving() {
        List<Resp> masters = new ArrayList<>();
        sale.shards().partitions().forEach(shard ->
                masters.add(environment.resp(sale.key(shard, "conf"))));
        for (int i = 0; !over.get(); i++) {
            int source = i % SHARDS;
            int destination = (source + 1 + i / 7 % 2) % SHARDS;
            String taken = run(masters, ShardScripts.TAKE, source, "transfers", "m" + i,
                    Integer.toString(destination), "apple", "1",
                    ShardScripts.transferNote(sale.id()));
            if (taken.startsWith("taken ")) {
                String[] words = taken.split(" ");
                run(masters, ShardScripts.GIVE, destination, "received", "m" + i, words[1],
                        "apple", words[2]);
                masters.get(source).command("HDEL",
                        sale.key(sale.shards().get(source), "transfers"), "m" + i);
            }
        }
        masters.forEach(Resp::close);
    }

    private String run(
            List<Resp> masters, Script script, int shard, String third, String... args) {
        Partition partition = sale.shards().get(shard);
        List<String> words = new ArrayList<>(List.of("EVAL", script.text(), "4"));
        for (String part : List.of("conf", "stock", third)) {
            words.add(sale.key(partition, part));
        }
        words.add(partition.key("unfinished"));
        words.addAll(List.of(args));
        return (String) masters.get(shard).command(words.toArray(String[]::new));
    }
}
