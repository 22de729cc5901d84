-- Longer than the driver waits for calls in LedgerStartTest.
SELECT pg_sleep(2.5);
CREATE TABLE slow (one integer);
