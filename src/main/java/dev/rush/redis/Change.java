package dev.rush.redis;

import dev.rush.redis.Partition.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Who makes a change that a script decides, for the ledger, which hears of it from the partition's
 * control stream and keeps it.
 *
 * @param id    "id kind subject"; the id is the change's own, so that the ledger knows it again
 * @param actor who makes it
 * @param cause why, in their words; empty for none
 */
public record Change(String id, String actor, String cause) {

    /** A change that no ledger keeps. */
    public static final Change NONE = new Change("-", "", "");

    /** A change of something by somebody. */
    public static Change of(String kind, String subject, String actor, String cause) {
        return new Change(String.join(" ", UUID.randomUUID().toString(), kind, subject), actor,
                cause == null ? "" : cause);
    }

    /** Keys of a script, with the control stream where the ledger keeps the change. */
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
