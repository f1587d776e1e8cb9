-- Outgoing webhooks: URLs that receive events. Their events wait in the delivery queue.
CREATE TABLE subscriptions (
  id                          TEXT PRIMARY KEY,
  owner_id                    TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: the platform
  url                         TEXT NOT NULL,
  types                       TEXT NOT NULL,        -- JSON
  disabled_because            TEXT,                 -- null: active
  sealed_secret               BLOB NOT NULL,
  previous_sealed_secret      BLOB,
  previous_secret_ends_at_ms  INTEGER,
  created_at_ms               INTEGER NOT NULL
) STRICT;
CREATE INDEX subscriptions_of_owner ON subscriptions (owner_id);

-- The state of each bot that was last announced to subscriptions. No row: nothing was announced yet.
CREATE TABLE announced_states (
  bot_id                      TEXT NOT NULL REFERENCES bots (id),
  subject                     TEXT NOT NULL,        -- connection or queue
  state                       TEXT NOT NULL,
  since_ms                    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, subject)
) STRICT, WITHOUT ROWID;

-- The last audit event that was turned into outgoing events. No row: no subscription is active.
CREATE TABLE audit_reader (
  only_row                    INTEGER PRIMARY KEY CHECK (only_row = 1),
  number                      INTEGER NOT NULL
) STRICT;
