-- Events with numbers below this one have IDs without the bot: those copied from SQLite, and those that releases before
-- this table stored. No row: there are none.
CREATE TABLE queue_copied (
  numbers_below     bigint NOT NULL
);

-- Nodes of the earlier release accept no event meanwhile.
LOCK TABLE queue_entered IN EXCLUSIVE MODE;
INSERT INTO queue_copied (numbers_below) SELECT max(number) + 1
  FROM (SELECT last_number AS number FROM queue_entered
    UNION ALL SELECT number FROM queue_done UNION ALL SELECT number FROM queue_dead) AS event
  HAVING max(number) > 0;
-- All bots' next events get higher numbers.
UPDATE queue_entered SET last_number = numbers_below FROM queue_copied;
