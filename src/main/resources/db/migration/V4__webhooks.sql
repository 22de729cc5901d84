-- Webhooks: receivers of events over HTTP, and the events that were not delivered yet.
SET LOCAL lock_timeout = '4s';

-- All events before the position (epoch, xact, place) were delivered, or are in "deliveries".
-- If there are two secrets, the old one is valid until "old_until".
CREATE TABLE webhooks (
    webhook           text COLLATE "C" PRIMARY KEY,
    url               text NOT NULL,
    types             text[] NOT NULL,
    secret            text NOT NULL,
    old_secret        text,
    old_until         timestamptz,
    epoch             integer NOT NULL,
    xact              bigint NOT NULL,
    place             bigint NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Events that a webhook did not accept, or that wait for an earlier one of their subject. Only the
-- first waiting event of a subject is attempted.
CREATE TABLE deliveries (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook           text COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    event             text COLLATE "C" NOT NULL,
    type              text COLLATE "C" NOT NULL,
    subject           text COLLATE "C" NOT NULL,
    at                timestamptz NOT NULL,
    body              text NOT NULL,
    state             text NOT NULL CHECK (state IN ('waiting', 'failed')),
    tries             integer NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    tried_at          timestamptz,
    next_at           timestamptz NOT NULL,
    status            integer,
    answer            text,
    UNIQUE (webhook, event)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX deliveries_waiting ON deliveries (webhook, subject, id) WHERE state = 'waiting';
CREATE INDEX deliveries_listed ON deliveries (webhook, state, id);
