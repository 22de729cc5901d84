package dev.rush;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
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

    /**
     * Whether a gateway in front sets and strips {@code X-User-Id} and {@code X-User-Roles}. A
     * production start with {@code rush.identity=header} fails without it.
     */
    @WithDefault("false")
    boolean trustIdentityHeader();

    /** Verified tokens. */
    TokenConfig token();

    /** What this pod does: serve requests, move orders to the ledger, or both. */
    @WithDefault("all")
    Role role();

    /**
     * How long a purchase, a grab or a call that steers may take, 0.1 s to 30 s. Redis refuses one
     * that it has not started by then, and the caller has an answer by then.
     */
    @WithDefault("PT2S")
    Duration deadline();

    /**
     * Who may confirm an order besides operators: {@code payer} (the payment system),
     * {@code operator} (nobody else), or {@code buyer} (payers, and buyers their own).
     */
    @WithDefault("payer")
    ConfirmBy confirmBy();

    /**
     * When a purchase or grab is answered: {@code redis}, after its script; {@code replicas}, once
     * the master's replicas have what it wrote; or {@code ledger}, once PostgreSQL has committed
     * it, which needs {@code rush.orders.sink=postgres}. Sales and rains may ask for more
     * ({@code durability}), not for less. Give writers a stronger level before {@code api} pods.
     */
    @WithDefault("redis")
    Durability durability();

    /**
     * How many replicas must have an order before it is answered under {@code replicas}, 0 to 16.
     * 0: all of the master's in the cluster's topology, failed ones included, and at least one.
     * Fewer than all lose orders if a replica is promoted that was not among them. A single Redis
     * does not know its failed replicas, so there it must be 1 or more.
     */
    @WithName("durability.replicas")
    @WithDefault("0")
    int durabilityReplicas();

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
     * Used memory of a Redis master in bytes, 0 or more, from which on orders no longer pile up
     * there: {@code backlogged} while a call's worth of them waits in its partition. 0 stands for
     * three quarters of its {@code maxmemory}; above nine tenths of that no value is heeded.
     */
    @WithDefault("0")
    long backlogBytes();

    /**
     * How long Redis keeps the keys of a sale or rain after it is over, 1 s or more. Idempotent
     * retries are answered for this long. Then, once nothing of it is open, all are removed.
     */
    @WithDefault("P7D")
    Duration retention();

    /** How long Redis is waited for. */
    RedisConfig redis();

    /** Bounds of the HTTP interface. */
    HttpConfig http();

    /** Fetching the keys that verify tokens. */
    KeysConfig keys();

    /** Joining of waiting requests into script calls. */
    BatchConfig batch();

    /** Limits per user and pod on purchases, grabs and returns. */
    RateLimitConfig rateLimit();

    /** Views that answer reads without Redis. */
    ViewConfig view();

    /** Server-sent events. */
    EventsConfig events();

    /** Events over HTTP to whoever was registered for them. */
    WebhooksConfig webhooks();

    /** Requests that wait for an order to be more than accepted. */
    WaitsConfig waits();

    /** Operators' lists of orders. */
    ListsConfig lists();

    /** Which web pages of other origins may call. */
    CorsConfig cors();

    /** The demonstration in the browser. */
    DemoConfig demo();

    /** The operators' console in the browser. */
    ConsoleConfig console();

    /** How often a pod asks whether the blocklist has changed; bounds how late it acts. */
    BlocklistConfig blocklist();

    /** Where accepted orders go. */
    Orders orders();

    /** Access to PostgreSQL. */
    LedgerConfig ledger();

    /** Moving accepted orders from Redis to PostgreSQL. */
    WriterConfig writer();

    /** Orders that are not paid in time. */
    ExpiryConfig expiry();

    /** Units given back. */
    ReturnsConfig returns();

    /** Watching the books. */
    BooksConfig books();

    /** What this pod reports of single sales. */
    MetricsConfig metrics();

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
    enum ConfirmBy { PAYER, OPERATOR, BUYER }

    /** When a purchase or grab is answered, the weakest level first. */
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

    /** Where accepted orders go. */
    interface Orders {

        /**
         * {@code none} keeps orders in Redis only; nothing enters a stream. {@code kafka} and
         * {@code both} do not exist yet and fail the start.
         */
        @WithDefault("postgres")
        Sink sink();
    }
}
