-- Changes of sales and rains that nobody requests: they open, sell out, and close at their time.
SET LOCAL lock_timeout = '4s';

-- Loaded sales and rains that are not over. "due_at_ms": when one may next open or close; null if
-- only a change can make it due. "reached_ms": every event due up to this time has been recorded.
-- Both use Redis's clock. "opened", "sold_out": the last recorded state; "times": how often it has
-- sold out.
CREATE TABLE watched (
    is_sale           boolean NOT NULL,
    offer             text COLLATE "C" NOT NULL,
    due_at_ms        bigint DEFAULT 0,
    reached_ms        bigint NOT NULL DEFAULT 0,
    opened            boolean NOT NULL DEFAULT false,
    sold_out          boolean NOT NULL DEFAULT false,
    times             bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (is_sale, offer)
) WITH (fillfactor = 70);
CREATE INDEX watched_due ON watched (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX watched_opened ON watched (is_sale, offer) WHERE opened;

-- Loading or changing a sale or rain makes it due at once, also if an earlier release does it.
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    begins boolean := NEW.state = 'loaded';
    id text;
BEGIN
    IF TG_TABLE_NAME = 'sales' THEN
        id := NEW.sale;
    ELSE
        id := NEW.rain;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        begins := begins AND OLD.state = 'preparing';
    END IF;
    IF begins THEN
        INSERT INTO watched (is_sale, offer) VALUES (TG_TABLE_NAME = 'sales', id)
        ON CONFLICT DO NOTHING;
    END IF;
    UPDATE watched SET due_at_ms = 0
    WHERE is_sale = (TG_TABLE_NAME = 'sales') AND offer = id AND due_at_ms IS DISTINCT FROM 0;
    RETURN NULL;
END $$;
CREATE TRIGGER sales_watched AFTER INSERT OR UPDATE OF state, definition, ends_at_ms, paused,
    closed_at_ms ON sales FOR EACH ROW EXECUTE FUNCTION watch();
CREATE TRIGGER rains_watched AFTER INSERT OR UPDATE OF state, definition, ends_at_ms, paused,
    closed_at_ms ON rains FOR EACH ROW EXECUTE FUNCTION watch();

INSERT INTO watched (is_sale, offer)
SELECT true, sale FROM sales WHERE state = 'loaded' AND closed_at_ms = 0
UNION ALL SELECT false, rain FROM rains WHERE state = 'loaded' AND closed_at_ms = 0;
