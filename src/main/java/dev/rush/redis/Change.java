package dev.rush.redis;

import dev.rush.redis.Partition.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Describes a change that a script decides, for the ledger, which receives it through the
 * partition's control stream.
 *
 * @param id    "id kind subject"; the id identifies redeliveries of the change
 * @param actor the actor
 * @param cause the cause as stated by the actor; empty if none
 */
public record Change(String id, String actor, String cause) {

    /** A change without a ledger. */
    public static final Change NONE = new Change("-", "", "");

    /** A change of a subject by an actor. */
    public static Change of(String kind, String subject, String actor, @Nullable String cause) {
        return new Change(String.join(" ", UUID.randomUUID().toString(), kind, subject), actor,
                cause == null ? "" : cause);
    }

    /** Keys of a script, with the control stream if the ledger records the change. */
    public Keys keys(Keys keys) {
        return equals(NONE) ? keys : keys.named("control");
    }

    /** Arguments of a script, followed by those of the change. */
    public List<String> args(String... first) {
        List<String> args = new ArrayList<>(List.of(first));
        args.addAll(List.of(id, actor, cause));
        return args;
    }
}
