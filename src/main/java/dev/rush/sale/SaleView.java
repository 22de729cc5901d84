package dev.rush.sale;

import dev.rush.http.Json;
import dev.rush.http.Snapshot;
import dev.rush.http.State;
import dev.rush.http.Times;
import dev.rush.redis.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sale as one look at Redis showed it.
 *
 * @param sale        id
 * @param state       by Redis's clock
 * @param maxQuantity the most units of one line
 * @param guarded     whether a duplicate guard is on
 * @param loaded      false when the stock is gone from Redis
 * @param shown       what readers of {@code GET /v1/sales/{sale}} are given
 */
record SaleView(String sale, State state, long maxQuantity, boolean guarded, boolean loaded,
        Snapshot shown) {

    /** The view in a reply of {@code read.lua}, or null for an unknown sale. */
    static SaleView of(String sale, Reply reply, Json json) {
        if (reply.size() == 1) {
            return null;
        }
        return of(sale, reply.at(0).number(), reply.at(1).pairs(), reply.at(2).pairs(), json);
    }

    /** The view of a sale whose terms and counters are these. */
    static SaleView of(String sale, long now, Map<String, String> conf, Map<String, String> stock,
            Json json) {
        SaleDefinition definition = json.read(
                conf.get("definition").getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
        List<Map<String, Object>> items = new ArrayList<>();
        long left = 0;
        for (SaleDefinition.Item item : definition.items()) {
            long total = Long.parseLong(stock.getOrDefault(item.sku() + ":total", "0"));
            long itemLeft =
                    total - Long.parseLong(stock.getOrDefault(item.sku() + ":ordered", "0"));
            left += itemLeft;
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("sku", item.sku());
            fields.put("title", item.title());
            fields.put("total", total);
            fields.put("left", itemLeft);
            fields.put("limitPerUser", item.limitPerUser());
            items.add(fields);
        }
        State state = State.of(now, definition.opensAt(), definition.closesAt(),
                Long.parseLong(conf.get("closed_at")), "1".equals(conf.get("paused")),
                left == 0 ? State.SOLD_OUT : State.OPEN);
        return new SaleView(sale, state, definition.maxQuantity(),
                definition.duplicateGuard() != SaleDefinition.Guard.NONE, !stock.isEmpty(),
                Snapshot.of(fields(sale, definition, state, items), now, json));
    }

    private static Map<String, Object> fields(String sale, SaleDefinition definition,
            State state, List<Map<String, Object>> items) {
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
        fields.put("shards", definition.shards());
        return fields;
    }
}
