package dev.rush;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.time.Duration;

/**
 * Every setting of Rush. Each is also an environment variable ({@code rush.rate-limit.per-second}
 * is {@code RUSH_RATE_LIMIT_PER_SECOND}). A value outside its limits fails the start ({@link
 * Limits}).
 */
@ConfigMapping(prefix = "rush")
public interface RushConfig {

    /** What identifies callers: a verified token, or a header set by a trusted gateway. */
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
     * How long a purchase, a grab or a control call may take, 0.1 s to 30 s. The caller has an
     * answer by then, and Redis refuses a call that it has not started by then.
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
     * it, which needs {@code rush.orders.sink=postgres} or {@code both}; a confirmation is then
     * answered once Redis has recorded it, too. Sales and rains may request more ({@code
     * durability}), not less. Configure a stronger level on writers before {@code api} pods.
     */
    @WithDefault("redis")
    Durability durability();

    /**
     * Number of replicas that must have an order before it is answered under {@code replicas}, 0 to
     * 16. 0: all replicas of the master in the cluster's topology, failed ones included, and at
     * least one. With fewer than all, orders are lost if another replica is promoted. A single
     * Redis does not list its failed replicas, so there it must be 1 or more.
     */
    @WithName("durability.replicas")
    @WithDefault("0")
    int durabilityReplicas();

    /**
     * Number of partitions of the keyspace, 1 to 1024. More partitions spread load better, but each
     * costs its reader one command per poll. Fixed once data exists: a different number fails the
     * start.
     */
    @WithDefault("64")
    int partitions();

    /** Accepted orders per partition that may wait for the ledger before {@code backlogged}. */
    @WithDefault("2000000")
    long backlog();

    /**
     * Used memory of a Redis master in bytes, 0 or more, from which orders no longer pile up there:
     * a call is {@code backlogged} while one call's worth of orders waits in its partition. At most
     * nine tenths of the master's {@code maxmemory} take effect; 0 stands for three quarters.
     */
    @WithDefault("0")
    long backlogBytes();

    /**
     * How long Redis keeps the keys of a sale or rain after it is over, 1 s or more. Idempotent
     * retries are answered for this long. After that, the keys are removed once nothing of the sale
     * or rain is open.
     */
    @WithDefault("P7D")
    Duration retention();

    /** How long to wait for Redis. */
    RedisConfig redis();

    /** Bounds of the HTTP interface. */
    HttpConfig http();

    /** Fetching the keys that verify tokens. */
    KeysConfig keys();

    /** Batching of waiting requests into script calls. */
    BatchConfig batch();

    /** Limits per user and pod on purchases, grabs and returns. */
    RateLimitConfig rateLimit();

    /** Views that answer reads without Redis. */
    ViewConfig view();

    /** Events to browsers, to readers of the feed, and to Kafka. */
    EventsConfig events();

    /** Events over HTTP to registered receivers. */
    WebhooksConfig webhooks();

    /** Requests that wait until an order is no longer accepted. */
    WaitsConfig waits();

    /** Operators' lists of orders. */
    ListsConfig lists();

    /** Calls from web pages of other origins. */
    CorsConfig cors();

    /** The demo in the browser. */
    DemoConfig demo();

    /** The operators' console in the browser. */
    ConsoleConfig console();

    /** The blocklist, and how soon changes take effect. */
    BlocklistConfig blocklist();

    /** Where accepted orders go. */
    Orders orders();

    /** Access to PostgreSQL. */
    LedgerConfig ledger();

    /** Moving accepted orders from Redis to PostgreSQL. */
    WriterConfig writer();

    /** Orders that are not paid in time. */
    ExpiryConfig expiry();

    /** Returns. */
    ReturnsConfig returns();

    /** Checks of the books. */
    BooksConfig books();

    /** Metrics of single sales. */
    MetricsConfig metrics();

    /** What identifies callers. */
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

        /** Whether Kafka has their events. */
        public boolean queues() {
            return this == KAFKA || this == BOTH;
        }
    }

    /** Where accepted orders go. */
    interface Orders {

        /**
         * {@code postgres} keeps orders in the ledger; {@code both} sends their events to Kafka as
         * well. {@code kafka} sends accepted orders and grabs to Kafka without any ledger, and
         * {@code none} keeps them in Redis only; neither offers anything that needs PostgreSQL.
         */
        @WithDefault("postgres")
        Sink sink();
    }
}
