-- Events with lower numbers were copied from SQLite, and keep the ids that they had there. No row: none was copied.
CREATE TABLE queue_copied (
  numbers_below     bigint NOT NULL
);
