-- Events with numbers below this one were copied from SQLite and keep their SQLite IDs. No row: no events were copied.
CREATE TABLE queue_copied (
  numbers_below     bigint NOT NULL
);
