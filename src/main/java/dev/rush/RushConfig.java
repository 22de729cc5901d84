package dev.rush;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/**
 * Every knob of Rush. Each is also an environment variable ({@code rush.rate-limit.per-second} is
 * {@code RUSH_RATE_LIMIT_PER_SECOND}). A value outside its limits fails the start ({@link Limits}).
 */
@ConfigMapping(prefix = "rush")
public interface RushConfig {

    /** Who calls: a verified token, or a header set by a trusted gateway. */
    @WithDefault("token")
    Identity identity();

    /** What this pod does: serve requests, move orders to the ledger, or both. */
    @WithDefault("all")
    Role role();

    /**
     * How long a purchase or grab may take. Redis refuses one that it has not started by then, and
     * the caller has an answer by then.
     */
    @WithDefault("PT2S")
    Duration deadline();

    /** Who may confirm an order: the payment system (an operator), or the buyer. */
    @WithDefault("operator")
    ConfirmBy confirmBy();

    /** When a purchase is answered. Only {@code redis} exists so far; others fail the start. */
    @WithDefault("redis")
    Durability durability();

    /**
     * Number of partitions of the keyspace, 1 to 1024. More spread load better, each costs its
     * reader one command a poll. Fixed once data exists: another number fails the start.
     */
    @WithDefault("64")
    int partitions();

    /** Accepted orders per partition that may wait for the ledger before {@code backlogged}. */
    @WithDefault("2000000")
    long backlog();

    /**
     * How long Redis keeps the keys of a sale or rain after it is over, 1 s or more. So long do
     * repeated purchases find their answers. Then, once nothing of it is open, all are removed.
     */
    @WithDefault("P7D")
    Duration retention();

    /** Joining of waiting requests into script calls. */
    Batch batch();

    /** Limits per user and pod on purchases, grabs and returns. */
    RateLimit rateLimit();

    /** Views that answer reads without Redis. */
    View view();

    /** How often a pod asks whether the blocklist has changed; bounds how late it acts. */
    Blocklist blocklist();

    /** Where accepted orders go. */
    Orders orders();

    /** Access to PostgreSQL. */
    Ledger ledger();

    /** Moving accepted orders from Redis to PostgreSQL. */
    Writer writer();

    /** Orders that are not paid in time. */
    Expiry expiry();

    /** Units given back. */
    Returns returns();

    /** Watching the books. */
    Books books();

    /** Who calls. */
    enum Identity { TOKEN, HEADER }

    /** What a pod does. */
    enum Role {
        ALL, API, WRITER;

        /** Whether this pod moves orders to the ledger. */
        public boolean writes() {
            return this != API;
        }
    }

    /** Who may confirm an order. */
    enum ConfirmBy { OPERATOR, BUYER }

    /** When a purchase is answered. */
    enum Durability { REDIS, REPLICAS, LEDGER }

    /** Where accepted orders go. */
    enum Sink {
        POSTGRES, KAFKA, BOTH, NONE;

        /** Whether accepted orders enter a stream at all. */
        public boolean streams() {
            return this != NONE;
        }

        /** Whether PostgreSQL keeps them. */
        public boolean stores() {
            return this == POSTGRES || this == BOTH;
        }
    }

    /** Joining of waiting requests into script calls. */
    interface Batch {

        /**
         * Requests in one script call, 1 to 1000. A call of 128 holds Redis for about 0.4 ms, and
         * larger ones gain little.
         */
        @WithDefault("128")
        int size();

        /** Script calls under way per event loop and sale, 1 to 64. Two keep Redis busy. */
        @WithDefault("2")
        int inFlight();

        /** Requests waiting per event loop and sale; beyond it a request is {@code unavailable}. */
        @WithDefault("20000")
        int queue();
    }

    /** Limits per user and pod. */
    interface RateLimit {

        /** Whether users are limited. Operators never are. */
        @WithDefault("true")
        boolean enabled();

        /** Requests a second that a user may go on with. */
        @WithDefault("50")
        long perSecond();

        /** Requests that a user may send at once after a pause. */
        @WithDefault("100")
        long burst();

        /** Users told apart per pod whose burst is not whole; beyond, the wholest is forgotten. */
        @WithDefault("100000")
        int users();
    }

    /** Views that answer reads without Redis. */
    interface View {

        /** Age at which a read asks Redis for a new view. A view is served twice as old at most. */
        @WithDefault("PT0.1S")
        Duration refresh();

        /** How long a pod may say sold-out by itself after Redis said so; zero switches it off. */
        @WithDefault("PT0.1S")
        Duration soldOut();

        /** Sales and rains remembered per pod, least recently used dropped first. */
        @WithDefault("10000")
        long entries();
    }

    /** The copy of the blocklist. */
    interface Blocklist {

        /** Time between two looks at the version, 0.01 s to 1 s. */
        @WithDefault("PT0.4S")
        Duration refresh();
    }

    /** Where accepted orders go. */
    interface Orders {

        /** {@code none} keeps orders in Redis only; nothing enters a stream. */
        @WithDefault("postgres")
        Sink sink();
    }

    /** Access to PostgreSQL. Its address, pool and timeouts are {@code quarkus.datasource.*}. */
    interface Ledger {

        /**
         * Threads that work on the ledger, 1 to 100. More than connections in the pool
         * ({@code quarkus.datasource.jdbc.max-size}) only wait for one.
         */
        @WithDefault("8")
        int threads();

        /**
         * How long a client waits for the ledger before {@code unavailable}. Longer than a lock
         * may take, so that a busy ledger is not taken for one that hangs.
         */
        @WithDefault("PT6S")
        Duration deadline();

        /** Calls that may wait for a thread; beyond it a call is {@code unavailable}. */
        @WithDefault("1000")
        int queue();
    }

    /** Moving accepted orders from Redis to PostgreSQL. */
    interface Writer {

        /** Entries in one transaction, 1 to 2000. One that fails is taken apart. */
        @WithDefault("1000")
        int batch();

        /** Threads that write, hence connections that they use, 1 to 32. */
        @WithDefault("3")
        int threads();

        /**
         * How long a writer may be silent before others take its partitions, 0.5 s to 30 s. A
         * take-over takes this and a quarter more at most.
         */
        @WithDefault("PT10S")
        Duration lease();

        /**
         * Looks a second at all partitions that hold a sale or rain when nothing happens, 1 to
         * 1000 in all. Redis pays for each; an order of this pod is looked for at once anyway.
         */
        @WithDefault("8")
        int idleLooks();

        /** How often an entry that fails for a reason of its own is tried, 1 to 100. */
        @WithDefault("5")
        int tries();

        /** Pause after the first failed try of an entry; it doubles with each one. */
        @WithDefault("PT0.5S")
        Duration retry();
    }

    /** Orders that are not paid in time. */
    interface Expiry {

        /** Time between two looks for orders that are due, 0.05 s to 60 s. */
        @WithDefault("PT1S")
        Duration interval();

        /** Orders that expire in one transaction, 1 to 10000. */
        @WithDefault("500")
        int batch();

        /** How long the ledger must have been away for {@code grace} to begin at its return. */
        @WithDefault("PT15S")
        Duration away();

        /** How long after the ledger's return no order expires, since it could not be confirmed. */
        @WithDefault("PT2M")
        Duration grace();
    }

    /** Units given back. */
    interface Returns {

        /** Age at which a parked return raises an alarm. */
        @WithDefault("PT1H")
        Duration alarmAfter();

        /** Time between two tries of a parked return. */
        @WithDefault("PT2S")
        Duration retry();
    }

    /** Watching the books. */
    interface Books {

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

        /** How long a repair waits for orders to leave the stream before it gives up. */
        @WithDefault("PT10S")
        Duration drain();
    }
}
