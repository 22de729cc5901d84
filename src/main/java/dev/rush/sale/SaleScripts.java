package dev.rush.sale;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of a sale. */
@Singleton
class SaleScripts implements ScriptSet {

    static final Script PREPARE = Script.load("sale/prepare");
    static final Script LOAD = Script.load("sale/load");
    static final Script PURCHASE = Script.load("sale/purchase");
    static final Script TOTAL = Script.load("sale/total");
    static final Script RESCHEDULE = Script.load("sale/reschedule");

    @Override
    public List<Script> scripts() {
        return List.of(PREPARE, LOAD, PURCHASE, TOTAL, RESCHEDULE);
    }
}
