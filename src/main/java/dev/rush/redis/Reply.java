package dev.rush.redis;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A reply of Redis, read as text, number or list; {@link #isNull()} for a nil. */
public final class Reply {

    private static final Reply NULL = new Reply(null);

    private final @Nullable Response response;

    private Reply(@Nullable Response response) {
        this.response = response;
    }

    /** Wraps a reply of Vert.x; null for a nil. */
    public static Reply of(@Nullable Response response) {
        return response == null ? NULL : new Reply(response);
    }

    /** Whether Redis answered nil. */
    public boolean isNull() {
        return response == null;
    }

    /** The reply as text, or null. */
    public @Nullable String text() {
        return response == null ? null : response.toString();
    }

    /** The reply as text, for a script that never answers nil. */
    public String word() {
        return Objects.requireNonNull(text(), "nil is not a word");
    }

    /** The reply as a number; zero for nil. */
    public long number() {
        return response == null ? 0 : response.toLong();
    }

    /** The number of elements of a list; zero for nil. */
    public int size() {
        return response == null ? 0 : response.size();
    }

    /** An element of a list, from 0. */
    public Reply at(int index) {
        return of(Objects.requireNonNull(response, "nil has no elements").get(index));
    }

    /** All elements of a list as texts, nils as null. */
    public List<String> texts() {
        List<String> texts = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            texts.add(at(i).text());
        }
        return texts;
    }

    /** A map, or a flat list of names and values, as a map in its order. */
    public Map<String, String> pairs() {
        Map<String, String> pairs = new LinkedHashMap<>();
        if (response != null && response.isMap()) {
            response.getKeys().forEach(name -> pairs.put(name, of(response.get(name)).text()));
        } else if (response != null && size() > 0
                && response.get(0).type() == ResponseType.MULTI) {
            // RESP3 nests the pairs of some replies.
            for (int i = 0; i < size(); i++) {
                pairs.put(at(i).at(0).text(), at(i).at(1).text());
            }
        } else {
            for (int i = 0; i + 1 < size(); i += 2) {
                pairs.put(at(i).text(), at(i + 1).text());
            }
        }
        return pairs;
    }

    @Override
    public String toString() {
        return String.valueOf(response);
    }
}
