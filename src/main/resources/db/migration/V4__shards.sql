-- A sale in shards lies in several partitions; one that is not split lies in one. The first is that
-- of the sale's id, and a user's orders all lie in one of them.
ALTER TABLE sales ADD COLUMN partitions integer[];
UPDATE sales SET partitions = ARRAY[partition];
ALTER TABLE sales ALTER COLUMN partitions SET NOT NULL;
ALTER TABLE sales DROP COLUMN partition;
CREATE INDEX sales_partitions ON sales USING gin (partitions);
