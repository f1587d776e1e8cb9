-- Keys of flows: the current key, and the previous key for a limited time after its replacement.
CREATE TABLE flow_keys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,
  digest            BLOB NOT NULL,
  last_four         TEXT NOT NULL,
  made_at_ms        INTEGER NOT NULL,
  last_used_at_ms   INTEGER,
  ends_at_ms        INTEGER,              -- null: the current key
  FOREIGN KEY (bot_id, flow_id) REFERENCES flows (bot_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX flow_keys_of_flow ON flow_keys (bot_id, flow_id);

INSERT INTO flow_keys (bot_id, flow_id, digest, last_four, made_at_ms)
  SELECT bot_id, id, key_digest, coalesce(key_last_four, ''), updated_at_ms FROM flows WHERE key_digest IS NOT NULL;
ALTER TABLE flows DROP COLUMN key_digest;
ALTER TABLE flows DROP COLUMN key_last_four;

-- How senders sign their webhooks to the flow, and how duplicates are recognized.
ALTER TABLE flows ADD COLUMN signature TEXT;       -- JSON, without the secret; null: no signature is checked
ALTER TABLE flows ADD COLUMN signing_secret BLOB;  -- encrypted; null if the scheme uses a public key
ALTER TABLE flows ADD COLUMN dedupe TEXT;          -- JSON; null: duplicates are not recognized
