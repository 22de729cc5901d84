package dev.rush.books;

import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of the books and the keys they work on. */
@Singleton
class BookScripts implements ScriptSet {

    static final Script SNAPSHOT = Script.load("books/snapshot");
    static final Script WAITING = Script.load("books/waiting");
    static final Script RESTORE = Script.load("books/restore");
    static final Script ADJUST = Script.load("books/adjust");
    static final Script TOTAL = Script.load("books/total");
    static final Script REQUEUE = Script.load("books/requeue");
    static final Script CLEAR = Script.load("books/clear");
    static final Script FILL = Script.load("books/fill");
    static final Script RELEASE = Script.load("books/release");
    static final Script RAIN = Script.load("books/rain");
    static final Script RETIRE = Script.load("books/retire");

    @Override
    public List<Script> scripts() {
        return List.of(SNAPSHOT, WAITING, RESTORE, ADJUST, TOTAL, REQUEUE, CLEAR, FILL, RELEASE,
                RAIN, RETIRE);
    }

    /** A key of one sale; {@code part} is as in docs/design.md. */
    static String sale(Partition partition, String sale, String part) {
        return partition.key("sale:" + sale + ":" + part);
    }

    /** A key of one rain. */
    static String rain(Partition partition, String rain, String part) {
        return partition.key("rain:" + rain + ":" + part);
    }
}
