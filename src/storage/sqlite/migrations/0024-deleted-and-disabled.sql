-- IDs of the bots that were deleted together with their owner. Nothing else about these bots is kept.
CREATE TABLE deleted_bots (
  id                TEXT PRIMARY KEY,
  deleted_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Finds an owner's bots with or without the deleted ones. Replaces the index on live bots: with both, SQLite would
-- count an owner's bots by the wrong index, and read the row of each bot.
DROP INDEX live_bots_of_owner;
CREATE INDEX bots_of_owner ON bots (owner_id, deleted_at_ms, created_at_ms);

-- When the operator disabled the account or the application. Null: not disabled.
ALTER TABLE users ADD COLUMN disabled_at_ms INTEGER;
ALTER TABLE applications ADD COLUMN disabled_at_ms INTEGER;
