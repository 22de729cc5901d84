package dev.rush.ledger.writer;

import dev.rush.redis.Script;

/** The scripts of the writer. */
final class WriterScripts {

    static final Script BACKLOG = Script.load("order/backlog");
    static final Script REPLAY = Script.load("order/replay");
    static final Script APPEND = Script.load("order/append");

    static final Script SETTLE = Script.load("ledger/settle");
    static final Script REJECT = Script.load("ledger/reject");

    private WriterScripts() {
    }
}
