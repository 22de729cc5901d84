package dev.rush.books;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of the books. */
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
}
