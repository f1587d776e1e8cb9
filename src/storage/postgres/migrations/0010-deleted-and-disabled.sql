-- IDs of the bots that were deleted together with their owner. Nothing else about these bots is kept.
CREATE TABLE deleted_bots (
  id                text COLLATE "C" PRIMARY KEY,
  deleted_at_ms     bigint NOT NULL
);

-- Finds an owner's bots, including deleted ones. Without this index, deleting a user would read every bot.
CREATE INDEX bots_of_owner ON bots (owner_id);

-- When the operator disabled the account or the application. Null: not disabled.
ALTER TABLE users ADD COLUMN disabled_at_ms bigint;
ALTER TABLE applications ADD COLUMN disabled_at_ms bigint;
