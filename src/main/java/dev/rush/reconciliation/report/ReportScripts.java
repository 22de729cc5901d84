package dev.rush.reconciliation.report;

import dev.rush.redis.Script;

/** The scripts of the report; they only read. */
final class ReportScripts {

    static final Script SNAPSHOT = Script.load("books/snapshot");
    static final Script WAITING = Script.load("books/waiting");
    static final Script RAIN = Script.load("books/rain");

    private ReportScripts() {
    }
}
