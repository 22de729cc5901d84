package dev.rush.rain;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.Snapshot;
import dev.rush.http.Times;
import dev.rush.offer.Durabilities;
import dev.rush.offer.State;
import dev.rush.redis.Reply;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rain as read from Redis.
 *
 * @param durability its durability level
 * @param loaded false if Redis has lost envelopes
 * @param seed   of the split, or null; it determines every amount, so only operators see it
 * @param shown  the answer to {@code GET /v1/rains/{rain}}
 */
record RainView(Durability durability, boolean loaded, @Nullable Long seed, Snapshot shown) {

    /** The view in a reply of {@code read.lua}, or null for an unknown rain. */
    static @Nullable RainView of(String rain, Reply reply, Durabilities durabilities, Json json) {
        if (reply.size() == 1) {
            return null;
        }
        return of(rain, reply.at(0).number(), reply.at(1).pairs(), reply.at(2).number(),
                durabilities, json);
    }

    /**
     * The view of a rain with these terms and counters.
     *
     * @param stored envelopes in Redis; null for a rain that may have left Redis
     */
    static RainView of(String rain, long now, Map<String, String> conf, @Nullable Long stored,
            Durabilities durabilities, Json json) {
        RainDefinition definition = json.read(Objects.requireNonNull(conf.get("definition"))
                .getBytes(StandardCharsets.UTF_8), RainDefinition.class);
        long left = definition.count() - Long.parseLong(conf.get("granted"));
        long leftAmount = definition.amount() - Long.parseLong(conf.get("granted_amount"));
        Durability durability = durabilities.of(definition.durability());
        long closedAt = Long.parseLong(conf.get("closed_at"));
        State state = State.of(now, definition.startsAt(), definition.endsAt(), closedAt,
                "1".equals(conf.get("paused")), left == 0 ? State.EMPTY : State.OPEN);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("rain", rain);
        fields.put("title", definition.title());
        fields.put("state", state.text());
        if (definition.startsAt() > 0) {
            fields.put("startsAt", Times.text(definition.startsAt()));
        }
        if (definition.endsAt() > 0) {
            fields.put("endsAt", Times.text(definition.endsAt()));
        }
        fields.put("limitPerUser", definition.limitPerUser());
        fields.put("durability", Durabilities.text(durability));
        fields.put("envelopes", definition.envelopes());
        fields.put("prepared", envelopes(definition.count(), definition.amount()));
        fields.put("left", envelopes(left, leftAmount));
        if (closedAt > 0) {
            fields.put("closedAt", Times.text(closedAt));
            // Nothing is granted after closing, so this is the same whenever it is read.
            fields.put("takenBack", envelopes(left, leftAmount));
        }
        String seed = conf.get("seed");
        return new RainView(durability, stored == null || stored == left,
                seed == null || seed.equals("-") ? null : Long.valueOf(seed),
                Snapshot.of(fields, now, json));
    }

    private static Map<String, Object> envelopes(long count, long amount) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", count);
        fields.put("amount", amount);
        return fields;
    }
}
