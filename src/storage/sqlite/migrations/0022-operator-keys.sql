-- Named operator keys. The key from the environment or the key file is not among them.
CREATE TABLE operator_keys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  name              TEXT NOT NULL,
  access            TEXT NOT NULL,               -- full or read
  digest            BLOB NOT NULL UNIQUE,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER                      -- null: never used
) STRICT;
