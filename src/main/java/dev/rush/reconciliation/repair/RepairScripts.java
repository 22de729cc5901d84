package dev.rush.reconciliation.repair;

import dev.rush.redis.Script;

/** The scripts of repair. */
final class RepairScripts {

    static final Script RESTORE = Script.load("books/restore");
    static final Script CREDIT = Script.load("order/credit");
    static final Script ADJUST = Script.load("books/adjust");
    static final Script TOTAL = Script.load("books/total");
    static final Script REQUEUE = Script.load("books/requeue");
    static final Script CLEAR = Script.load("books/clear");
    static final Script FILL = Script.load("books/fill");
    static final Script RELEASE = Script.load("books/release");

    private RepairScripts() {
    }
}
