package dev.rush.sale;

import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of a sale and the keys they work on. */
@Singleton
class SaleScripts implements ScriptSet {

    static final Script PREPARE = Script.load("sale/prepare");
    static final Script ENSURE = Script.load("sale/ensure");
    static final Script LOAD = Script.load("sale/load");
    static final Script PURCHASE = Script.load("sale/purchase");
    static final Script TAKE = Script.load("sale/take");
    static final Script FINISH = Script.load("sale/finish");
    static final Script RESUME = Script.load("sale/resume");
    static final Script GIVE = Script.load("sale/give");
    static final Script TOTAL = Script.load("sale/total");
    static final Script READ = Script.load("sale/read");

    @Override
    public List<Script> scripts() {
        return List.of(
                PREPARE, ENSURE, LOAD, PURCHASE, TAKE, RESUME, GIVE, FINISH, TOTAL, READ);
    }

    /** Key of a partition that lists its sales, scored by when they were prepared. */
    static String index(Partition partition) {
        return partition.key("sales");
    }

    /** Names a change of a sale's state that not all shards may have followed yet. */
    static String controlNote(String sale) {
        return "control " + sale;
    }

    /** Names transfers that left a shard and may not be finished. */
    static String transferNote(String sale) {
        return "transfer " + sale;
    }

    /** A key of one sale; {@code part} is as in docs/design.md. */
    static String key(Partition partition, String sale, String part) {
        return partition.key("sale:" + sale + ":" + part);
    }
}
