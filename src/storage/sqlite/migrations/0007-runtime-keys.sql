-- Keys of runtimes: the current key, and the previous key for a limited time after its replacement.
CREATE TABLE runtimes_with_keys_apart (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  owner_id          TEXT REFERENCES users (id),  -- null for the operator's runtimes
  bot_ids           TEXT,                        -- null: every bot
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO runtimes_with_keys_apart (id, name, owner_id, bot_ids, created_at_ms)
  SELECT id, name, owner_id, bot_ids, created_at_ms FROM runtimes;

CREATE TABLE runtime_keys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  runtime_id        TEXT NOT NULL REFERENCES runtimes_with_keys_apart (id) ON DELETE CASCADE,
  digest            BLOB NOT NULL UNIQUE,
  last_four         TEXT NOT NULL,
  made_at_ms        INTEGER NOT NULL,
  last_used_at_ms   INTEGER,
  ends_at_ms        INTEGER                      -- null: the current key
) STRICT;
CREATE INDEX runtime_keys_of_runtime ON runtime_keys (runtime_id);
INSERT INTO runtime_keys (runtime_id, digest, last_four, made_at_ms)
  SELECT id, key_digest, key_last_four, created_at_ms FROM runtimes;

DROP TABLE runtimes;
ALTER TABLE runtimes_with_keys_apart RENAME TO runtimes;
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms);
CREATE INDEX runtimes_of_owner ON runtimes (owner_id, created_at_ms) WHERE owner_id IS NOT NULL;
