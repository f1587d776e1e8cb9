-- Personal access tokens, for the API for owners.
CREATE TABLE personal_tokens (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              TEXT NOT NULL,
  scopes            TEXT NOT NULL,               -- separated by spaces
  digest            BLOB NOT NULL UNIQUE,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  expires_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER                      -- null: never used
) STRICT;
CREATE INDEX personal_tokens_of_user ON personal_tokens (user_id, number);
CREATE INDEX personal_tokens_by_expiry ON personal_tokens (expires_at_ms);
