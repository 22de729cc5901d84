package dev.rush.sale;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;

/** The body of {@code PUT /v1/sales/{sale}} as it was sent; {@link SaleDefinition} judges it. */
@RegisterForReflection
record SaleRequest(String title, String opensAt, String closesAt, List<Item> items,
        Long maxQuantity, String paymentWindow, String duplicateGuard, String duplicateGuardWindow,
        Boolean returnRestoresLimit, Long ordersPerUser, Long unpaidHolds, String durability,
        Integer shards) {

    /** What is offered. */
    @RegisterForReflection
    record Item(String sku, String title, Long total, Long limitPerUser) {
    }
}
