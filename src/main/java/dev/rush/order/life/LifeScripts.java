package dev.rush.order.life;

import dev.rush.redis.Script;

/** The scripts by which the ledger tells Redis what became of orders. */
final class LifeScripts {

    static final Script CREDIT = Script.load("order/credit");
    static final Script RESTORE = Script.load("books/restore");
    static final Script TOLD = Script.load("order/told");
    static final Script TOMBSTONE = Script.load("order/tombstone");

    private LifeScripts() {
    }
}
