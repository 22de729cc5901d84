package dev.rush.order;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of the entries of one transaction. */
final class Batch {

    private final List<StreamEntry> settled = new ArrayList<>();
    private final Map<StreamEntry, String> failed = new LinkedHashMap<>();
    private final List<String> rejections = new ArrayList<>();

    /** The ledger has this entry, from now or from before. */
    void settle(StreamEntry entry) {
        settled.add(entry);
    }

    /** This entry cannot be stored for a reason of its own. */
    void fail(StreamEntry entry, String reason) {
        failed.put(entry, reason);
    }

    /** A guard refused an entry, which the ledger keeps as rejected. */
    void reject(String what) {
        rejections.add(what);
    }

    List<StreamEntry> settled() {
        return settled;
    }

    Map<StreamEntry, String> failed() {
        return failed;
    }

    List<String> rejections() {
        return rejections;
    }
}
