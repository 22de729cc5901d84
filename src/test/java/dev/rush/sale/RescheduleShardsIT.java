package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.sale.shard.ShardScripts;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.TestSale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rescheduling sales in three shards on one Redis, and interrupted changes. */
class RescheduleShardsIT extends RescheduleSuite {
    @Override
    Environment environment() {
        return Environments.inShards(Environments.single());
    }

    @Test
    @DisplayName("S4, P11: an interrupted change of times reaches all shards")
    void interruptedChangeReachesAllShards() {
        TestSale sale = TestSale.of(environment(), "apple:30:0");
        Partition first = sale.shards().first();
        String earlier = sale.hash(first, "conf").get("definition");
        String later = earlier.replace("\"closesAt\":0", "\"closesAt\":4102444800000");
        assertThat(sale.redis("EVAL", Script.load("sale/reschedule").text(), "2",
                sale.key(first, "conf"), first.key("unfinished"), "9999999999999", later, "0",
                "4102444800000", earlier, "-", ShardScripts.scheduleNote(sale.id()), "-", "", ""))
                .asString().startsWith("done ");
        Await.until("all shards have the new times and the note is gone", LedgerPods.SOON, () ->
                sale.shards().partitions().stream().allMatch(shard ->
                        sale.hash(shard, "conf").get("closes_at").equals("4102444800000")
                        && sale.hash(shard, "conf").get("definition").equals(later))
                && sale.onKey(first.key("unfinished"), "HEXISTS",
                        ShardScripts.scheduleNote(sale.id())).equals(0L));
    }

    @Test
    @DisplayName("S4, P11: a shard that lost new times gets them again once the sale is read")
    void lostTimesAreAppliedAgain() {
        TestSale sale = TestSale.of(environment(), "apple:30:0");
        Partition last = sale.shards().get(sale.shards().count() - 1);
        String earlier = sale.hash(last, "conf").get("definition");
        change(sale, "{'title':'Later','closesAt':'2100-01-01T00:00:00Z'}");
        sale.onKey(sale.key(last, "conf"), "HSET", "definition", earlier, "closes_at", "0");
        Await.until("the shard has the new times", LedgerPods.SOON, () -> {
            sale.view();
            return sale.hash(last, "conf").get("closes_at").equals("4102444800000")
                    && sale.hash(last, "conf").get("definition").contains("Later");
        });
    }
}
