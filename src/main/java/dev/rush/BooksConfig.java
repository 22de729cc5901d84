package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Book checks. */
public interface BooksConfig {

    /**
     * Interval between checks of the sales and rains that are open or were closed within the
     * last hour, 0.2 s to 60 s. One pod checks at a time.
     */
    @WithDefault("PT10S")
    Duration interval();

    /**
     * Maximum orders of a sale, or grabs of a rain, that books and repairs read of one stream, in
     * memory: while more wait for the ledger, a requested report or repair is {@code unavailable}.
     * A background check waits while the stream has more entries.
     */
    @WithDefault("100000")
    long backlog();

    /**
     * How long a repair waits for orders to leave the stream before it gives up, 0.1 s to 5 min;
     * its caller waits as long.
     */
    @WithDefault("PT10S")
    Duration drain();

    /**
     * Interval at which the ledger's sums are compared with its rows, 1 min to 7 d. Each round
     * recounts only what has changed since the last one; everything is recounted once a day.
     */
    @WithDefault("PT1H")
    Duration recount();
}
