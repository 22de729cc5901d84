package dev.rush.scripts;

import java.util.Map;

/**
 * What a sale is prepared with. Times are milliseconds, 0 for none.
 *
 * @param items by sku
 */
record SaleTerms(long opensAt, long closesAt, String guard, long guardWindow, long paymentWindow,
        boolean returnsLimit, long ordersPerUser, long unpaidHolds, Map<String, Item> items) {

    /** Limit 0 is none. */
    record Item(long total, long limit) {
    }
}
