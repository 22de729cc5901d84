package dev.rush.event;

import dev.rush.ledger.Actor;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Places orders of one sale in a journal, and confirms and returns them. */
class OrderLives {
    static final Actor OPERATOR = new Actor("operator:ann");

    final TestJournal test;
    private final String sale;

    OrderLives(TestJournal test) {
        this.test = test;
        this.sale = test.sale("a:1000000:0");
    }

    /** Stores a reserved order. Returns its id. */
    String reserve() {
        return test.order(sale, "u", null, "a:1", Long.MAX_VALUE).toString();
    }

    void confirm(String order) {
        test.transact((connection, ledgerState) -> {
            Steps.confirm(connection, ledgerState, OrderRows.find(connection, TestJournal.MONTH,
                    sale, UUID.fromString(order)), OPERATOR, new Payment("pay", null, null));
            return null;
        });
    }

    void giveBack(String order) {
        test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                OrderRows.find(connection, TestJournal.MONTH, sale, UUID.fromString(order)),
                OPERATOR, null));
    }

    /** The ids of the events of an order that is reserved, confirmed and returned. */
    static List<String> life(String order) {
        return List.of(order + ".reserved", order + ".confirmed", order + ".returned");
    }

    /** Reserves, confirms and returns an order. Returns its id. */
    String live() {
        String order = reserve();
        confirm(order);
        giveBack(order);
        return order;
    }

    List<String> live(int orders) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < orders; i++) {
            all.add(live());
        }
        return all;
    }
}
