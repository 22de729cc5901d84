package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Watching the books. */
public interface BooksConfig {

    /**
     * Time between two checks of the sales and rains that are open or closed within the last
     * hour, 0.2 s to 60 s. One pod checks at a time.
     */
    @WithDefault("PT10S")
    Duration interval();

    /**
     * Entries of a stream that a check reads. Where more wait for the ledger, the check in the
     * background waits too; a report that is asked for reads them all.
     */
    @WithDefault("200000")
    long backlog();

    /**
     * How long a repair waits for orders to leave the stream before it gives up, 0.1 s to 5 min;
     * its caller waits as long.
     */
    @WithDefault("PT10S")
    Duration drain();

    /**
     * Time between two rounds in which the ledger's sums are held against its rows, 1 min to 7 d.
     * Only what has changed since is recounted, and all once a day.
     */
    @WithDefault("PT1H")
    Duration recount();
}
