-- The ledger. PostgreSQL 14 or newer.
--
-- Columns that end in _ms are milliseconds by Redis's clock, 0 for none; timestamptz columns are by
-- PostgreSQL's. "lines" and "lefts" are spelled as in Redis (docs/design.md): sku:quantity,… and
-- the units left per line. There are no foreign keys on the orders' path: the writer checks what
-- they would, once per batch instead of once per row.

-- What was prepared. "preparing": the ledger knows it, Redis perhaps. "loaded": the stock has been
-- released for sale in Redis, once and for all; when Redis lacks it now, only repair may bring it
-- back. "epoch" names the one loading that was released.
CREATE TABLE sales (
    sale              text PRIMARY KEY,
    partition         integer NOT NULL,
    definition        text NOT NULL,
    state             text NOT NULL CHECK (state IN ('preparing', 'loaded')),
    epoch             text,
    returns_limit     boolean NOT NULL,
    -- Copies of what steers the sale in Redis, for a rebuild of Redis.
    paused            boolean NOT NULL DEFAULT false,
    closed_at_ms      bigint NOT NULL DEFAULT 0,
    -- The version of the change that was copied last.
    control           bigint NOT NULL DEFAULT 0,
    version           bigint NOT NULL DEFAULT 0,
    prepared_at       timestamptz NOT NULL DEFAULT now(),
    loaded_at         timestamptz
);
CREATE INDEX sales_loaded ON sales (loaded_at);
CREATE INDEX sales_partition ON sales (partition);

-- "sold" is the sum of the quantities of all reserved and confirmed orders. "version" counts the
-- changes of the total that were begun; the same number stands in Redis beside the total there.
CREATE TABLE items (
    sale              text NOT NULL REFERENCES sales,
    sku               text NOT NULL,
    total             bigint NOT NULL,
    sold              bigint NOT NULL DEFAULT 0,
    limit_per_user    bigint NOT NULL,
    version           bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (sale, sku),
    CONSTRAINT items_oversold CHECK (sold >= 0 AND sold <= total)
) WITH (fillfactor = 50);

-- Accepted orders. Once expired or returned, "credit" is pending until Redis has the units back,
-- then done; null means that nothing is to be given back.
CREATE TABLE orders (
    id                uuid PRIMARY KEY,
    sale              text NOT NULL,
    user_id           text NOT NULL,
    key               text NOT NULL,
    digest            text NOT NULL,
    lines             text NOT NULL,
    lefts             text NOT NULL,
    status            text NOT NULL CHECK
        (status IN ('reserved', 'confirmed', 'rejected', 'expired', 'returned')),
    placed_at_ms      bigint NOT NULL,
    pay_by_ms         bigint NOT NULL,
    partition         integer NOT NULL,
    seq               bigint NOT NULL,
    credit            text CHECK (credit IN ('pending', 'done')),
    ended_at          timestamptz
);
-- One order per key and user. It also finds a user's orders, by its first two columns.
CREATE UNIQUE INDEX orders_key ON orders (sale, user_id, key) WHERE status <> 'rejected';
CREATE INDEX orders_rejected ON orders (sale, user_id) WHERE status = 'rejected';
CREATE INDEX orders_reserved ON orders (partition, pay_by_ms) WHERE status = 'reserved';
CREATE INDEX orders_reserved_of_sale ON orders (sale) WHERE status = 'reserved';
CREATE INDEX orders_credit ON orders (sale) WHERE credit = 'pending';

-- One row per line of an order.
CREATE VIEW order_lines AS
    SELECT o.id, o.sale, o.user_id, o.status, o.credit,
           split_part(line, ':', 1) AS sku, split_part(line, ':', 2)::bigint AS quantity
    FROM orders o, unnest(string_to_array(o.lines, ',')) AS line;

-- Rains, as sales. "granted" and "granted_amount" are the sums over all confirmed grabs.
CREATE TABLE rains (
    rain              text PRIMARY KEY,
    partition         integer NOT NULL,
    definition        text NOT NULL,
    state             text NOT NULL CHECK (state IN ('preparing', 'loaded')),
    epoch             text,
    envelopes         bigint NOT NULL,
    amount            bigint NOT NULL,
    granted           bigint NOT NULL DEFAULT 0,
    granted_amount    bigint NOT NULL DEFAULT 0,
    limit_per_user    bigint NOT NULL,
    closed_at_ms      bigint NOT NULL DEFAULT 0,
    prepared_at       timestamptz NOT NULL DEFAULT now(),
    loaded_at         timestamptz,
    CONSTRAINT rains_overgranted CHECK (granted >= 0 AND granted <= envelopes
        AND granted_amount >= 0 AND granted_amount <= amount)
) WITH (fillfactor = 50);
CREATE INDEX rains_loaded ON rains (loaded_at);

CREATE TABLE grabs (
    id                uuid PRIMARY KEY,
    rain              text NOT NULL,
    user_id           text NOT NULL,
    key               text NOT NULL,
    number            bigint NOT NULL,
    nth               bigint NOT NULL,
    amount            bigint NOT NULL,
    status            text NOT NULL CHECK (status IN ('confirmed', 'rejected')),
    granted_at_ms     bigint NOT NULL,
    partition         integer NOT NULL,
    seq               bigint NOT NULL
);
CREATE UNIQUE INDEX grabs_number ON grabs (rain, number) WHERE status = 'confirmed';
CREATE UNIQUE INDEX grabs_nth ON grabs (rain, user_id, nth) WHERE status = 'confirmed';
CREATE UNIQUE INDEX grabs_key ON grabs (rain, user_id, key) WHERE status = 'confirmed';
CREATE INDEX grabs_rejected ON grabs (rain, user_id) WHERE status = 'rejected';

-- Returns that were asked for, by an order's id or by a purchase's key.
CREATE TABLE returns (
    id                uuid PRIMARY KEY,
    sale              text NOT NULL,
    user_id           text NOT NULL,
    order_id          uuid,
    key               text,
    state             text NOT NULL CHECK (state IN ('parked', 'alarmed', 'returned', 'void')),
    reason            text NOT NULL DEFAULT '',
    tries             integer NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    tried_at          timestamptz,
    ended_at          timestamptz,
    CHECK (order_id IS NOT NULL OR key IS NOT NULL)
);
CREATE UNIQUE INDEX returns_order ON returns (sale, order_id) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX returns_key ON returns (sale, user_id, key) WHERE key IS NOT NULL;
CREATE INDEX returns_state ON returns (sale, state, created_at);
CREATE INDEX returns_open ON returns (COALESCE(tried_at, created_at))
    WHERE state IN ('parked', 'alarmed');

-- Stream entries that cannot be stored for a reason of their own. "fields" is the whole entry.
-- A replayed one has been put back into the stream.
CREATE TABLE dead_letters (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition         integer NOT NULL,
    fingerprint       text NOT NULL,
    entry             text NOT NULL,
    kind              text NOT NULL,
    sale              text,
    rain              text,
    order_id          text,
    fields            jsonb NOT NULL,
    reason            text NOT NULL,
    tries             integer NOT NULL,
    state             text NOT NULL CHECK (state IN ('waiting', 'replayed')),
    created_at        timestamptz NOT NULL DEFAULT now(),
    replayed_at       timestamptz,
    UNIQUE (partition, fingerprint)
);
CREATE INDEX dead_letters_waiting ON dead_letters (sale) WHERE state = 'waiting';

-- Who reads which partition's stream. Every batch of orders touches the row of its partition under
-- its token, so a writer that was taken over from cannot commit any more. "seq" is the highest
-- sequence number stored.
CREATE TABLE leases (
    partition         integer PRIMARY KEY,
    holder            text NOT NULL DEFAULT '',
    token             bigint NOT NULL DEFAULT 0,
    until             timestamptz NOT NULL DEFAULT 'epoch',
    seq               bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

-- The writers that are alive, so that each takes its share of the partitions.
CREATE TABLE writers (
    holder            text PRIMARY KEY,
    until             timestamptz NOT NULL
);

-- When a pod last reached this ledger, and when one reached it again after nobody could for long:
-- for a while after that no order expires, because its payer could not confirm it.
CREATE TABLE heartbeat (
    one               boolean PRIMARY KEY DEFAULT true CHECK (one),
    beat              timestamptz NOT NULL DEFAULT now(),
    back_at           timestamptz NOT NULL DEFAULT 'epoch'
);
INSERT INTO heartbeat DEFAULT VALUES;
