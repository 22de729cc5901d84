-- Archived months. Their detached tables stay here, unused by the service, until an operator has
-- copied and dropped them.
SET LOCAL lock_timeout = '4s';
CREATE SCHEMA archive;

-- One row per archived table. A copy of the table is complete if it has this many rows.
CREATE TABLE archive.tables (
    month             integer NOT NULL,
    name              text NOT NULL,
    rows              bigint NOT NULL,
    archived_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (month, name)
);

-- The last event of each month that was archived, also after the month was dropped, numbered by
-- archive run. The place is that of the event feed, in which a step at place p is at 2^32 + p. A
-- reader with a cursor from before a run has missed events if its position is lower.
CREATE TABLE archive.last_events (
    month             integer PRIMARY KEY,
    run               integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    epoch             integer NOT NULL,
    xact              bigint NOT NULL,
    place             bigint NOT NULL
);

-- Moves a detached table of a month into this schema, unless that was done already. Returns its row
-- count; null if the month has no such table.
-- Neither function waits long for a lock, because readers of the journal see no new commit
-- meanwhile.
CREATE FUNCTION archive.take(parent text, wanted integer) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
DECLARE
    child text := parent || '_' || wanted;
    table_of_month regclass := to_regclass(format('public.%I', child));
    found bigint;
BEGIN
    IF table_of_month IS NOT NULL
            AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = table_of_month) THEN
        EXECUTE format('SELECT count(*) FROM public.%I', child) INTO found;
        EXECUTE format('ALTER TABLE public.%I SET SCHEMA archive', child);
        INSERT INTO archive.tables (month, name, rows) VALUES (wanted, child, found);
    END IF;
    RETURN (SELECT rows FROM archive.tables WHERE month = wanted AND name = child);
END $$;

-- Archives a month's rows of tables that are not partitioned by month, unless that was done
-- already. Sales, rains, items and sums are copied, because the ledger keeps them; returns are
-- moved.
CREATE FUNCTION archive.take_rest(wanted integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
DECLARE
    part record;
    sales text := format('(SELECT sale FROM public.sales WHERE month = %s)', wanted);
    found bigint;
BEGIN
    IF to_regclass('archive.sales_' || wanted) IS NOT NULL THEN
        RETURN;
    END IF;
    FOR part IN SELECT * FROM (VALUES
            ('sales', format('month = %s', wanted), false),
            ('rains', format('month = %s', wanted), false),
            ('items', 'sale IN ' || sales, false),
            ('sums', 'sale IN ' || sales, false),
            ('returns', 'sale IN ' || sales, true)) AS parts (name, chosen, moves) LOOP
        EXECUTE format('CREATE TABLE archive.%I AS SELECT * FROM public.%I WHERE ',
            part.name || '_' || wanted, part.name) || part.chosen;
        GET DIAGNOSTICS found = ROW_COUNT;
        INSERT INTO archive.tables (month, name, rows)
        VALUES (wanted, part.name || '_' || wanted, found);
        IF part.moves THEN
            EXECUTE format('DELETE FROM public.%I WHERE ', part.name) || part.chosen;
        END IF;
    END LOOP;
END $$;

-- Drops a month that was copied elsewhere, if exactly that many rows of its tables were copied.
CREATE FUNCTION archive.drop_month(wanted integer, copied bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    part record;
    kept bigint := (SELECT sum(rows) FROM archive.tables WHERE month = wanted);
BEGIN
    IF kept IS DISTINCT FROM copied THEN
        RAISE EXCEPTION 'the archive of % has % rows, not %', wanted, kept, copied;
    END IF;
    FOR part IN SELECT name FROM archive.tables WHERE month = wanted LOOP
        EXECUTE format('DROP TABLE IF EXISTS archive.%I', part.name);
    END LOOP;
    DELETE FROM archive.tables WHERE month = wanted;
END $$;

-- Replaces a user by a pseudonym in all archived months. Returns the number of rows changed.
CREATE FUNCTION archive.erase(who text, pseudonym text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    part record;
    changed bigint;
    total bigint := 0;
BEGIN
    FOR part IN SELECT name, split_part(name, '_' || month, 1) AS kind
            FROM archive.tables
            WHERE name ~ '^(orders|rejected|grabs|rejected_grabs|returns|steps)_' LOOP
        IF part.kind = 'steps' THEN
            EXECUTE format('UPDATE archive.%I SET actor = ''buyer:'' || $2, cause = NULL'
                ' WHERE actor = ''buyer:'' || $1', part.name) USING who, pseudonym;
        ELSE
            EXECUTE format('UPDATE archive.%I SET user_id = $2'
                || CASE part.kind WHEN 'orders' THEN ', key = NULL, claim = NULL, digest = ''='''
                    WHEN 'rejected' THEN ', key = NULL, claim = NULL, digest = ''='''
                    WHEN 'returns' THEN ', key = NULL, actor = ''buyer:'' || $2, cause = NULL'
                    ELSE ', key = NULL' END
                || ' WHERE user_id = $1', part.name) USING who, pseudonym;
        END IF;
        GET DIAGNOSTICS changed = ROW_COUNT;
        total := total + changed;
    END LOOP;
    RETURN total;
END $$;
