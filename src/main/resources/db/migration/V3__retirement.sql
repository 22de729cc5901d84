-- Sales and rains that are over and settled, and whose keys Redis keeps no longer. "retiring": the
-- keys are about to be removed. "retired": they are gone; the orders stay here.
ALTER TABLE sales DROP CONSTRAINT sales_state_check;
ALTER TABLE sales ADD CONSTRAINT sales_state_check
    CHECK (state IN ('preparing', 'loaded', 'retiring', 'retired'));
ALTER TABLE sales ADD COLUMN retired_at timestamptz;
CREATE INDEX sales_retired ON sales (retired_at) WHERE retired_at IS NOT NULL;
ALTER TABLE rains DROP CONSTRAINT rains_state_check;
ALTER TABLE rains ADD CONSTRAINT rains_state_check
    CHECK (state IN ('preparing', 'loaded', 'retiring', 'retired'));
ALTER TABLE rains ADD COLUMN retired_at timestamptz;
CREATE INDEX rains_retired ON rains (retired_at) WHERE retired_at IS NOT NULL;
