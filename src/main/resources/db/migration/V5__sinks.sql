-- Message queues that are fed from the journal.
SET LOCAL lock_timeout = '4s';

-- All events up to the position (epoch, xact, place) have been acknowledged.
CREATE TABLE sinks (
    sink              text COLLATE "C" PRIMARY KEY,
    epoch             integer NOT NULL,
    xact              bigint NOT NULL,
    place             bigint NOT NULL
) WITH (fillfactor = 10);
