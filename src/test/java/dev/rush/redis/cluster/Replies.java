package dev.rush.redis.cluster;

import dev.rush.redis.Reply;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.BulkType;
import io.vertx.redis.client.impl.types.MultiType;
import java.util.List;

/** Replies as Redis would give them. */
public final class Replies {

    private Replies() {
    }

    /** A list of texts. */
    public static Reply texts(List<String> texts) {
        MultiType list = MultiType.create(texts.size(), false);
        for (String text : texts) {
            list.add(BulkType.create(Buffer.buffer(text), false));
        }
        return Reply.of((Response) list);
    }
}
