package dev.rush.http.limit;

import dev.rush.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** P12: one thread applies changes while others read; a version is never ahead of the users. */
public class BlocklistCopyLincheckTest {
    private final BlocklistCopy copy = new BlocklistCopy(null);
    private int latest;

    /** Applies the next change: two block a new user each, the third unblocks the first. */
    @Operation(nonParallelGroup = "writer")
    public void change() {
        latest++;
        if (latest % 3 == 0) {
            copy.apply(latest + " 1 remove user-" + (latest - 2));
        } else {
            copy.apply(latest + " 1 add user-" + latest);
        }
    }

    /** Whether the copy contains the change of its version. */
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
