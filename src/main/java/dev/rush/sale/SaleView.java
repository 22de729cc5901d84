package dev.rush.sale;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.Snapshot;
import dev.rush.http.Times;
import dev.rush.offer.Durabilities;
import dev.rush.offer.State;
import dev.rush.redis.Shards;
import dev.rush.sale.shard.ShardState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sale as read from Redis.
 *
 * @param sale        id
 * @param shards      where it lies
 * @param state       by Redis's clock
 * @param maxQuantity maximum units of one line
 * @param guarded     whether a duplicate guard is on
 * @param durability  its durability level
 * @param loaded      false if Redis has lost the stock of a shard
 * @param total       units of all items
 * @param left        units of all items that are on sale
 * @param shown       the answer to {@code GET /v1/sales/{sale}}
 */
record SaleView(String sale, Shards shards, State state, long maxQuantity, boolean guarded,
        Durability durability, boolean loaded, long total, long left, Snapshot shown) {

    /**
     * The view of all shards. It is paused or closed if any of them is, and its age is that of the
     * first, which was read before the others.
     */
    static SaleView of(String sale, SaleDefinition definition, Shards shards,
            List<ShardState> states, Durability durability, Json json) {
        ShardState first = states.get(0);
        List<Map<String, Object>> items = new ArrayList<>();
        long units = 0;
        long left = 0;
        for (SaleDefinition.Item item : definition.items()) {
            long total = first.whole(item.sku());
            // Units in transfer count as left; a unit that comes back and is sold between two of
            // the reads may count twice.
            long itemLeft = Math.max(0, total - states.stream()
                    .mapToLong(state -> state.counter(item.sku(), "ordered")).sum());
            units += total;
            left += itemLeft;
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("sku", item.sku());
            fields.put("title", item.title());
            fields.put("total", total);
            fields.put("left", itemLeft);
            fields.put("limitPerUser", item.limitPerUser());
            items.add(fields);
        }
        State state = State.of(first.now(), definition.opensAt(), definition.closesAt(),
                states.stream().mapToLong(ShardState::closedAt).max().orElse(0),
                states.stream().anyMatch(ShardState::isPaused),
                left == 0 ? State.SOLD_OUT : State.OPEN);
        return new SaleView(sale, shards, state, definition.maxQuantity(),
                definition.duplicateGuard() != SaleDefinition.Guard.NONE, durability,
                states.stream().allMatch(ShardState::isLoaded), units, left,
                Snapshot.of(fields(sale, definition, state, items, durability), first.now(),
                        json));
    }

    private static Map<String, Object> fields(String sale, SaleDefinition definition,
            State state, List<Map<String, Object>> items, Durability durability) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("sale", sale);
        fields.put("title", definition.title());
        fields.put("state", state.text());
        if (definition.opensAt() > 0) {
            fields.put("opensAt", Times.text(definition.opensAt()));
        }
        if (definition.closesAt() > 0) {
            fields.put("closesAt", Times.text(definition.closesAt()));
        }
        fields.put("items", items);
        fields.put("maxQuantity", definition.maxQuantity());
        if (definition.paymentWindow() > 0) {
            fields.put("paymentWindow",
                    Duration.ofMillis(definition.paymentWindow()).toString());
        }
        fields.put("duplicateGuard", definition.duplicateGuard().text());
        fields.put("durability", Durabilities.text(durability));
        fields.put("shards", definition.shards());
        return fields;
    }
}
