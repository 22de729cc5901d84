package dev.rush.http.limit;

import dev.rush.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** P12: one thread applies changes while others ask; a version is never ahead of the users. */
public class BlocklistCopyLincheckTest {
    private final BlocklistCopy copy = new BlocklistCopy(null);
    private int latest;

    /** The next change: blocks a user of its own, and lets in the one before the last. */
    @Operation(nonParallelGroup = "writer")
    public void change() {
        latest++;
        if (latest % 3 == 0) {
            copy.apply(latest + " 1 remove user-" + (latest - 2));
        } else {
            copy.apply(latest + " 1 add user-" + latest);
        }
    }

    /** Whether the change that the copy shows is in it. */
    @Operation
    public boolean showsItsVersion() {
        int version = Integer.parseInt(copy.version());
        return version == 0 || (version % 3 == 0
                ? !copy.contains("user-" + (version - 2))
                : copy.contains("user-" + version) || Integer.parseInt(copy.version()) > version);
    }

    @Test
    void aVersionIsNeverAheadOfTheUsers() {
        Interleavings.check(getClass());
    }
}
