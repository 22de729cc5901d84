-- Small working sets, the service's own records, and months.
SET LOCAL lock_timeout = '4s';

-- Reserved orders that are not resolved. A transaction that resolves one deletes its row first, so
-- competing transactions wait for that row. "held": must not expire, because its payment may be
-- among lost commits.
CREATE TABLE reservations (
    partition         integer NOT NULL,
    pay_by_ms         bigint NOT NULL,
    order_id          uuid NOT NULL,
    month             integer NOT NULL,
    sale              text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,
    lines             text NOT NULL,
    held              boolean NOT NULL DEFAULT false,
    PRIMARY KEY (partition, held, pay_by_ms, order_id)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0.0, autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_analyze_scale_factor = 0.0, autovacuum_analyze_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX reservations_held ON reservations (sale, pay_by_ms, order_id) WHERE held;

-- Units of orders that ended at this step, still to be credited in Redis.
CREATE TABLE credits (
    partition         integer NOT NULL,
    since             timestamptz NOT NULL DEFAULT now(),
    order_id          uuid NOT NULL,
    month             integer NOT NULL,
    step              smallint NOT NULL,
    expired           boolean NOT NULL,
    actor             text COLLATE "C" NOT NULL,
    sale              text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,
    lines             text NOT NULL,
    PRIMARY KEY (month, order_id)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0);
CREATE INDEX credits_due ON credits (partition, since);

-- Returns that wait for their order, or ended as void. One that ended as returned is a step.
CREATE TABLE returns (
    id                uuid PRIMARY KEY,
    sale              text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,
    order_id          uuid,
    key               text COLLATE "C",
    state             text NOT NULL CHECK (state IN ('parked', 'alarmed', 'void')),
    reason            text NOT NULL DEFAULT '',
    tries             integer NOT NULL DEFAULT 0,
    actor             text NOT NULL,
    cause             text,
    anyone            boolean NOT NULL DEFAULT false,
    after_entry       text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    tried_at          timestamptz NOT NULL DEFAULT now(),
    ended_at          timestamptz,
    CHECK (order_id IS NOT NULL OR key IS NOT NULL)
) WITH (fillfactor = 70);
-- Only returns_key begins with the sale. Without statistics the planner would choose any index that
-- does, and read the whole sale.
CREATE UNIQUE INDEX returns_order ON returns (order_id, sale) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX returns_key ON returns (sale, user_id, key) WHERE key IS NOT NULL;
CREATE INDEX returns_user ON returns (user_id, sale);
CREATE INDEX returns_listed ON returns (state, sale, created_at);
CREATE INDEX returns_open ON returns (tried_at) WHERE state IN ('parked', 'alarmed');
CREATE INDEX returns_parked ON returns (created_at) WHERE state = 'parked';

-- Orders and grabs that could not be stored for a reason of their own. They are retried, then wait
-- for an operator as dead letters. "fields" is the whole order.
CREATE TABLE retries (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition         integer NOT NULL,
    fingerprint       text NOT NULL,
    kind              text NOT NULL,
    subject           text COLLATE "C",
    order_id          text,
    user_id           text COLLATE "C",
    key               text COLLATE "C",
    seq               bigint NOT NULL DEFAULT 0,
    at_ms             bigint NOT NULL DEFAULT 0,
    fields            jsonb NOT NULL,
    reason            text NOT NULL,
    tries             integer NOT NULL,
    tried_at          timestamptz NOT NULL DEFAULT now(),
    next_at           timestamptz,
    state             text NOT NULL CHECK (state IN ('retrying', 'waiting', 'replayed')),
    created_at        timestamptz NOT NULL DEFAULT now(),
    replayed_at       timestamptz,
    UNIQUE (partition, fingerprint)
);
CREATE INDEX retries_due ON retries (partition, next_at) WHERE state = 'retrying';
CREATE INDEX retries_waiting ON retries (id) WHERE state = 'waiting';
CREATE INDEX retries_subject ON retries (subject, kind) WHERE state <> 'replayed';
CREATE INDEX retries_order ON retries (order_id, subject) WHERE state <> 'replayed';
CREATE INDEX retries_key ON retries (subject, user_id, key) WHERE state <> 'replayed';
CREATE INDEX retries_sequence ON retries (partition, seq) WHERE state <> 'replayed';

-- Changes of everything except orders: sales, rains, items, the blocklist, repairs, the ledger.
CREATE TABLE audit (
    id                uuid PRIMARY KEY,
    epoch             integer NOT NULL,
    xact              xid8 NOT NULL DEFAULT pg_current_xact_id(),
    place             bigint NOT NULL DEFAULT nextval('positions'),
    at                timestamptz NOT NULL DEFAULT now(),
    actor             text NOT NULL,
    action            text NOT NULL,
    subject           text COLLATE "C" NOT NULL,
    before            jsonb,
    after             jsonb,
    cause             text
);
CREATE INDEX audit_position ON audit (epoch, xact, place);

-- Who reads which partition's stream.
CREATE TABLE leases (
    partition         integer PRIMARY KEY,
    holder            text NOT NULL DEFAULT '',
    until             timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);

-- One row per partition, separate from its lease, so that renewing never waits for a batch. Each
-- new holder of the lease raises "token" (a fencing token), and a batch updates the row only under
-- the present token, so that a writer that has lost the lease cannot commit. "seq" is the highest
-- stored sequence number: an order with a higher one is new. "had_seq" is the number before commits
-- were lost, according to Redis, until they are restored; otherwise 0. While "behind_since" is set,
-- Redis may have what this ledger lost: nothing of the partition expires, is credited, rejected or
-- repaired. While "defers" is set too, new orders and grabs of it, and of partitions with a shard
-- of one of its sales, wait in their streams until the lost ones are stored again.
CREATE TABLE partitions (
    partition         integer PRIMARY KEY,
    token             bigint NOT NULL DEFAULT 0,
    seq               bigint NOT NULL DEFAULT 0,
    had_seq           bigint NOT NULL DEFAULT 0,
    behind_since      timestamptz,
    defers            boolean NOT NULL DEFAULT false
) WITH (fillfactor = 10);
CREATE INDEX partitions_deferring ON partitions (partition) WHERE defers;

CREATE TABLE writers (
    holder            text PRIMARY KEY,
    until             timestamptz NOT NULL
);
CREATE TABLE leader_leases (
    task              text PRIMARY KEY,
    holder            text NOT NULL,
    until             timestamptz NOT NULL
);

-- Losses: sequence numbers of a partition that Redis assigned and then lost, above "low" and up to
-- "high", from "since_ms" (0 if unknown) to "noticed_at_ms", because numbers are assigned again.
-- "exact": whether both are beginnings of tenures; else "noticed_at_ms" is when Redis was seen
-- without these numbers. "tenure_begun_ms": when the last tenure known before the loss began; 0 if
-- unknown. "lost": how many of them no store has; null until the stream is drained past that time
-- and all are counted; "lost_before": the most that an earlier count found.
-- Up to "counted", "missing" are lost; null until they can be counted.
CREATE TABLE losses (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition         integer NOT NULL,
    low               bigint NOT NULL,
    high              bigint NOT NULL,
    since_ms          bigint NOT NULL DEFAULT 0,
    noticed_at_ms     bigint NOT NULL,
    exact             boolean NOT NULL DEFAULT false,
    tenure_begun_ms   bigint NOT NULL DEFAULT 0,
    counted           bigint,
    missing           bigint NOT NULL DEFAULT 0,
    lost              bigint,
    lost_before       bigint NOT NULL DEFAULT 0,
    restored_at       timestamptz,
    noticed_at        timestamptz NOT NULL DEFAULT now(),
    CHECK (low < high),
    CHECK (missing >= 0 AND lost >= 0)
);
CREATE INDEX losses_partition ON losses (partition, noticed_at);
CREATE INDEX losses_open ON losses (partition) WHERE lost IS NULL OR restored_at IS NULL;

-- Numbers above "low" up to "high" that Redis skipped at "at_ms", when a sale was rebuilt, because
-- the ledger had numbers up to "high". A later loss must not count them again.
CREATE TABLE skipped_numbers (
    partition         integer NOT NULL,
    low               bigint NOT NULL,
    high              bigint NOT NULL,
    at_ms             bigint NOT NULL,
    CHECK (low < high)
);
CREATE INDEX skipped_numbers_partition ON skipped_numbers (partition, at_ms);

-- When the sums of a sale or rain were last compared with its rows. "stored" and "drift" are units.
CREATE TABLE recounts (
    subject           text COLLATE "C" PRIMARY KEY,
    counted_at        timestamptz NOT NULL,
    drift             bigint NOT NULL,
    stored            bigint NOT NULL
);

-- Creates the tables of a month if they do not exist. Attaching blocks neither readers nor writers.
CREATE FUNCTION ensure_month(wanted integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    parent text;
    child text;
BEGIN
    IF to_regclass('blocks_' || wanted) IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('rush month', wanted));
    IF to_regclass('blocks_' || wanted) IS NOT NULL THEN
        RETURN false;
    END IF;
    FOREACH parent IN ARRAY
            ARRAY['orders', 'rejected', 'steps', 'grabs', 'rejected_grabs', 'blocks'] LOOP
        child := parent || '_' || wanted;
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT month_is CHECK (month = %s)', child, wanted);
        EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_insert_scale_factor = 0.0,'
            ' autovacuum_vacuum_insert_threshold = 200000,'
            ' autovacuum_analyze_scale_factor = 0.02)', child);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)',
            parent, child, wanted);
    END LOOP;
    RETURN true;
END $$;
CREATE FUNCTION month_of(at timestamptz) RETURNS integer LANGUAGE sql STABLE AS
    $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYYMM')::integer $$;
DO $$ BEGIN
    PERFORM ensure_month(month_of(now())), ensure_month(month_of(now() + interval '1 month'));
END $$;

-- Orders with their present status, for people and tests; the service queries by month instead.
CREATE VIEW order_states AS
    SELECT o.*, COALESCE(s.kind, CASE WHEN o.pay_by_ms > 0 THEN 'reserved' ELSE 'confirmed' END)
            AS status,
        EXISTS (SELECT FROM credits c WHERE c.month = o.month AND c.order_id = o.id) AS is_owed
    FROM orders o LEFT JOIN LATERAL (SELECT kind FROM steps s WHERE s.month = o.month
        AND s.order_id = o.id AND s.kind NOT IN ('credited', 'settled')
        ORDER BY s.step DESC LIMIT 1) s ON true
    UNION ALL
    SELECT r.id, r.month, r.block, r.seq, r.placed_at_ms, r.pay_by_ms, r.partition, r.sale,
        r.user_id, r.key, r.digest, r.lines, r.lefts, r.claim, 'rejected', false FROM rejected r;
