-- Returns that wait, and what Redis lost.

-- "after_entry": the last entry of the partition's stream when the tombstone of a return by key was
-- put into Redis. Once the stream is drained past it, no purchase under that key can turn up.
-- "operator": an operator asked, so the order may be anyone's.
ALTER TABLE returns ADD COLUMN after_entry text;
ALTER TABLE returns ADD COLUMN operator boolean NOT NULL DEFAULT false;
CREATE INDEX returns_unseen ON returns (sale, user_id) WHERE order_id IS NULL;

-- Sequence numbers of a partition that Redis gave out and then went back behind: those above "low",
-- up to "high", from "since_ms" (0 where that is not known) to "noticed_at_ms", both Redis's time,
-- as numbers are given out again. "lost" is how many of those orders and grabs no store knows; null
-- until the stream is drained past that time, so that all stored are counted.
CREATE TABLE losses (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition         integer NOT NULL,
    low               bigint NOT NULL,
    high              bigint NOT NULL,
    since_ms          bigint NOT NULL DEFAULT 0,
    noticed_at_ms     bigint NOT NULL,
    lost              bigint,
    restored_at       timestamptz,
    noticed_at        timestamptz NOT NULL DEFAULT now(),
    CHECK (low < high)
);
CREATE INDEX losses_partition ON losses (partition, noticed_at);
CREATE INDEX losses_open ON losses (noticed_at) WHERE lost IS NULL OR restored_at IS NULL;

-- What only one pod does at a time, until when at most.
CREATE TABLE duties (
    duty              text PRIMARY KEY,
    holder            text NOT NULL,
    until             timestamptz NOT NULL
);
