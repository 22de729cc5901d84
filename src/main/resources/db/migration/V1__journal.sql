-- The ledger, for PostgreSQL 14 or newer. An order is stored once and never changed; each later
-- change is a row, its step. Sums are updated in the transaction that adds the rows they count. No
-- statement that runs per call, batch, second or check gets slower as stored orders accumulate.
--
-- "month" is yyyymm of the sale's or rain's preparation, UTC; tables of orders are partitioned by
-- it, and every row copies it, so that a month is detached as a whole. Columns that end in _ms are
-- milliseconds by Redis's clock, 0 for none; timestamptz columns are by PostgreSQL's. "lines" and
-- "lefts" have the format of Redis (docs/design.md). The tables of orders have no foreign keys: the
-- writer checks the same conditions once per batch.
--
-- A change's position is (epoch, xact, place): rows of one transaction have one xact, and a reader
-- that stops below pg_snapshot_xmin never misses one that commits later.
SET LOCAL lock_timeout = '4s';

CREATE SEQUENCE positions CACHE 32;
-- Each transaction of a writer takes the next thousand.
CREATE SEQUENCE block_ids INCREMENT BY 1000;

-- The ledger itself, one row. "server" is the start, in microseconds, of the PostgreSQL process
-- that was last compared with Redis. Until a new process has been compared, nothing is decided that
-- a lost commit could invalidate. Each check raises "epoch"; "reserved" is the highest epoch that a
-- check may have written to Redis. "beat": when a pod last reached this ledger; "back_at": when one
-- reached it again after a long outage. Nothing expires for a while after that.
CREATE TABLE ledger (
    one               boolean PRIMARY KEY DEFAULT true CHECK (one),
    epoch             integer NOT NULL DEFAULT 1,
    reserved          integer NOT NULL DEFAULT 1,
    server            bigint NOT NULL DEFAULT 0,
    checked_at        timestamptz,
    beat              timestamptz NOT NULL DEFAULT now(),
    back_at           timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);
INSERT INTO ledger DEFAULT VALUES;

-- Prepared sales. "preparing": in the ledger, and perhaps in Redis. "loaded": the stock has been
-- released for sale in Redis, which happens once. "release" identifies that loading. "control" is
-- the version of the latest pause, resume or close that was copied from Redis. "changed" lets pods
-- read only new changes. "prepared_at_ms" is copied from Redis when the sale begins to leave it, so
-- that its place in the list of all sales stays the same; 0 until then.
CREATE TABLE sales (
    sale              text COLLATE "C" PRIMARY KEY,
    month             integer NOT NULL,
    partitions        integer[] NOT NULL,
    definition        text NOT NULL,
    state             text NOT NULL CHECK (state IN
        ('preparing', 'loaded', 'retiring', 'retired', 'archived')),
    release           text,
    returns_limit     boolean NOT NULL,
    payment_window_ms bigint NOT NULL,
    orders_per_user   bigint NOT NULL,
    ends_at_ms        bigint NOT NULL DEFAULT 0,
    paused            boolean NOT NULL DEFAULT false,
    closed_at_ms      bigint NOT NULL DEFAULT 0,
    control           bigint NOT NULL DEFAULT 0,
    prepared_at       timestamptz NOT NULL DEFAULT now(),
    prepared_at_ms    bigint NOT NULL DEFAULT 0,
    loaded_at         timestamptz,
    retired_at        timestamptz,
    changed           xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX sales_changed ON sales (changed);
CREATE INDEX sales_loaded ON sales (month, sale) WHERE state IN ('preparing', 'loaded');
CREATE INDEX sales_retiring ON sales (retired_at) WHERE state = 'retiring';
CREATE INDEX sales_retired ON sales (prepared_at_ms)
    WHERE state IN ('retiring', 'retired', 'archived');
CREATE INDEX sales_partitions ON sales USING gin (partitions) WHERE state IN ('loaded', 'retiring');

-- "sold" is the sum of reserved and confirmed units over all partitions: the guard. "version"
-- counts the changes of the total that were begun; Redis stores it with its own total.
CREATE TABLE items (
    sale              text COLLATE "C" NOT NULL REFERENCES sales,
    sku               text COLLATE "C" NOT NULL,
    total             bigint NOT NULL,
    sold              bigint NOT NULL DEFAULT 0,
    limit_per_user    bigint NOT NULL,
    version           bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (sale, sku),
    CONSTRAINT items_oversold CHECK (sold >= 0 AND sold <= total)
) WITH (fillfactor = 50);

-- Units by status, per item and partition. Slot 0 belongs to the writer that holds the partition's
-- lease; a call that adds a step picks another slot, so that calls rarely wait for each other. Only
-- the sum over the slots is meaningful; a single slot may be negative.
CREATE TABLE sums (
    sale              text COLLATE "C" NOT NULL,
    partition         integer NOT NULL,
    sku               text COLLATE "C" NOT NULL,
    slot              integer NOT NULL,
    stored            bigint NOT NULL DEFAULT 0,
    reserved          bigint NOT NULL DEFAULT 0,
    confirmed         bigint NOT NULL DEFAULT 0,
    expired           bigint NOT NULL DEFAULT 0,
    returned          bigint NOT NULL DEFAULT 0,
    credited          bigint NOT NULL DEFAULT 0,
    rejected          bigint NOT NULL DEFAULT 0,
    settled           bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (sale, partition, sku, slot)
) WITH (fillfactor = 40);

-- Orders that passed the guards, or had ended before they reached this ledger. Each is stored once
-- and never changed. An order with "pay_by_ms" began as reserved, any other as confirmed; its last
-- step has its present status. "key" is the client's idempotency key, null if it sent none. "block"
-- identifies the block in which it was stored.
--
-- "claim" is empty for a buyer's first order of a sale with limits, and the order's key otherwise.
-- So a writer need not look up earlier orders of buyers that it assumes to be new: the index
-- rejects a second first order, and a key that was used before.
CREATE TABLE orders (
    id                uuid NOT NULL,
    month             integer NOT NULL,
    block             bigint NOT NULL,
    seq               bigint NOT NULL,
    placed_at_ms      bigint NOT NULL,
    pay_by_ms         bigint NOT NULL,
    partition         integer NOT NULL,
    sale              text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,
    key               text COLLATE "C",
    digest            text NOT NULL,
    lines             text NOT NULL,
    lefts             text NOT NULL,
    claim             text COLLATE "C",
    PRIMARY KEY (month, id)
) PARTITION BY LIST (month);
CREATE UNIQUE INDEX orders_claim ON orders (month, sale, user_id, claim);
CREATE INDEX orders_sequence ON orders (partition, seq);
-- Orders restored without a sequence number share number 0, so only their block identifies them.
CREATE INDEX orders_restored ON orders (block) WHERE seq = 0;

-- Orders that a guard rejected. They are outside the unique key.
CREATE TABLE rejected (
    LIKE orders,
    reason            text NOT NULL,
    PRIMARY KEY (month, id)
) PARTITION BY LIST (month);
CREATE INDEX rejected_user ON rejected (month, sale, user_id);
CREATE INDEX rejected_sequence ON rejected (partition, seq);

-- Changes of an order after it was stored. A step's number is that of the step it follows plus one,
-- so if two steps follow the same one, the primary key admits only one of them.
CREATE TABLE steps (
    month             integer NOT NULL,
    order_id          uuid NOT NULL,
    step              smallint NOT NULL,
    kind              text NOT NULL CHECK (kind IN
        ('rejected', 'confirmed', 'expired', 'returned', 'credited', 'settled')),
    epoch             integer NOT NULL,
    xact              xid8 NOT NULL DEFAULT pg_current_xact_id(),
    place             bigint NOT NULL DEFAULT nextval('positions'),
    at                timestamptz NOT NULL DEFAULT now(),
    partition         integer NOT NULL,
    sale              text COLLATE "C" NOT NULL,
    actor             text NOT NULL,
    cause             text,
    reference         text,
    amount            bigint,
    currency          text,
    PRIMARY KEY (month, order_id, step)
) PARTITION BY LIST (month);
CREATE INDEX steps_position ON steps (epoch, xact, place);
CREATE INDEX steps_returned ON steps (month, sale, at) WHERE kind = 'returned';

-- A block: about a thousand orders and grabs of one month that one writer transaction stored or
-- rejected. With blocks a reader finds its position without reading the whole transaction.
-- "places_before": orders and grabs in the transaction's earlier blocks, in any month. "orders"
-- counts grabs too.
CREATE TABLE blocks (
    month             integer NOT NULL,
    block             bigint NOT NULL,
    epoch             integer NOT NULL,
    xact              xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at                timestamptz NOT NULL DEFAULT now(),
    partition         integer NOT NULL,
    token             bigint NOT NULL,
    first_seq         bigint NOT NULL,
    last_seq          bigint NOT NULL,
    places_before     integer NOT NULL,
    orders            integer NOT NULL,
    subjects          text[] NOT NULL,
    PRIMARY KEY (month, block)
) PARTITION BY LIST (month);
CREATE INDEX blocks_position ON blocks (epoch, xact);

CREATE TABLE rains (
    rain              text COLLATE "C" PRIMARY KEY,
    month             integer NOT NULL,
    partition         integer NOT NULL,
    definition        text NOT NULL,
    state             text NOT NULL CHECK (state IN
        ('preparing', 'loaded', 'retiring', 'retired', 'archived')),
    release           text,
    envelopes         bigint NOT NULL,
    amount            bigint NOT NULL,
    granted           bigint NOT NULL DEFAULT 0,
    granted_amount    bigint NOT NULL DEFAULT 0,
    rejected          bigint NOT NULL DEFAULT 0,
    rejected_amount   bigint NOT NULL DEFAULT 0,
    limit_per_user    bigint NOT NULL,
    ends_at_ms        bigint NOT NULL DEFAULT 0,
    paused            boolean NOT NULL DEFAULT false,
    closed_at_ms      bigint NOT NULL DEFAULT 0,
    control           bigint NOT NULL DEFAULT 0,
    prepared_at       timestamptz NOT NULL DEFAULT now(),
    prepared_at_ms    bigint NOT NULL DEFAULT 0,
    loaded_at         timestamptz,
    retired_at        timestamptz,
    changed           xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT rains_overgranted CHECK (granted >= 0 AND granted <= envelopes
        AND granted_amount >= 0 AND granted_amount <= amount)
) WITH (fillfactor = 50);
CREATE INDEX rains_changed ON rains (changed);
CREATE INDEX rains_loaded ON rains (month, rain) WHERE state IN ('preparing', 'loaded');
CREATE INDEX rains_retiring ON rains (retired_at) WHERE state = 'retiring';
CREATE INDEX rains_retired ON rains (prepared_at_ms)
    WHERE state IN ('retiring', 'retired', 'archived');
CREATE INDEX rains_partition ON rains (partition) WHERE state IN ('loaded', 'retiring');

CREATE TABLE grabs (
    id                uuid NOT NULL,
    month             integer NOT NULL,
    block             bigint NOT NULL,
    seq               bigint NOT NULL,
    granted_at_ms     bigint NOT NULL,
    number            bigint NOT NULL,
    nth               bigint NOT NULL,
    amount            bigint NOT NULL,
    partition         integer NOT NULL,
    rain              text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,
    key               text COLLATE "C",
    PRIMARY KEY (month, id)
) PARTITION BY LIST (month);
CREATE UNIQUE INDEX grabs_number ON grabs (month, rain, number);
CREATE UNIQUE INDEX grabs_nth ON grabs (month, rain, user_id, nth);
CREATE UNIQUE INDEX grabs_key ON grabs (month, rain, user_id, key) WHERE key IS NOT NULL;
CREATE INDEX grabs_sequence ON grabs (partition, seq);
CREATE INDEX grabs_restored ON grabs (block) WHERE seq = 0;

CREATE TABLE rejected_grabs (
    LIKE grabs,
    reason            text NOT NULL,
    PRIMARY KEY (month, id)
) PARTITION BY LIST (month);
CREATE INDEX rejected_grabs_user ON rejected_grabs (month, rain, user_id);
CREATE INDEX rejected_grabs_sequence ON rejected_grabs (partition, seq);
CREATE INDEX rejected_grabs_restored ON rejected_grabs (block) WHERE seq = 0;
