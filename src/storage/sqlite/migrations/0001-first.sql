-- Times are milliseconds since the epoch (…_at_ms). Digests are 32 bytes. Lists are JSON arrays.

CREATE TABLE users (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  email             TEXT,
  email_key         TEXT UNIQUE,          -- normalized for comparison: trimmed and lower case
  password_hash     TEXT,
  pin_hash          TEXT,
  pin_failures      INTEGER NOT NULL DEFAULT 0,
  pin_locked_until_ms INTEGER,
  chat_platform_id  TEXT UNIQUE,
  code_hosting_id   TEXT UNIQUE,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A browser session of the identity pages or the portal. The cookie contains the number in encrypted form.
CREATE TABLE sessions (
  number            INTEGER PRIMARY KEY,
  digest            BLOB NOT NULL,
  surface           TEXT NOT NULL CHECK (surface IN ('identity', 'portal')),
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent        TEXT,
  address           TEXT,
  created_at_ms     INTEGER NOT NULL,
  expires_at_ms     INTEGER NOT NULL,
  pin_unlocked_until_ms INTEGER
) STRICT;
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

CREATE TABLE applications (
  id                TEXT PRIMARY KEY,
  client_id         TEXT NOT NULL UNIQUE,
  owner_id          TEXT REFERENCES users (id),  -- null for the portal itself
  name              TEXT NOT NULL,
  website_url       TEXT NOT NULL,
  environment       TEXT NOT NULL CHECK (environment IN ('development', 'production')),
  first_party       INTEGER NOT NULL DEFAULT 0,
  require_pkce      INTEGER NOT NULL DEFAULT 0,
  redirect_uris     TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL,
  deleted_at_ms     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX applications_of_owner ON applications (owner_id);

-- The current secret of an application. Rotation replaces it. The portal has none.
CREATE TABLE client_secrets (
  application_id    TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
  digest            BLOB NOT NULL,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One browser's way through sign-in, PIN and consent. Its ID is part of the URL.
CREATE TABLE authorization_attempts (
  id                TEXT PRIMARY KEY,
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  redirect_uri      TEXT NOT NULL,
  scopes            TEXT NOT NULL,
  state             TEXT,
  code_challenge    TEXT,
  skip_consent      INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_attempts_by_expiry ON authorization_attempts (expires_at_ms);

-- The union of all scopes that a user has allowed an application.
CREATE TABLE consents (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes            TEXT NOT NULL,
  first_granted_at_ms INTEGER NOT NULL,
  last_granted_at_ms INTEGER NOT NULL,
  PRIMARY KEY (user_id, application_id)
) STRICT, WITHOUT ROWID;

-- One authorization: its code, its current refresh token, and whether it is revoked. Superseded refresh tokens need no
-- rows, because a token contains its generation in encrypted form.
CREATE TABLE token_families (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: an old token must not match a new family
  application_id    TEXT NOT NULL,
  user_id           TEXT NOT NULL,
  scopes            TEXT NOT NULL,
  redirect_uri      TEXT NOT NULL,
  code_challenge    TEXT,
  code_digest       BLOB NOT NULL,
  code_expires_at_ms INTEGER NOT NULL,
  redeemed_at_ms    INTEGER,
  refresh_generation INTEGER NOT NULL DEFAULT 0,
  refresh_digest    BLOB,
  refresh_expires_at_ms INTEGER,
  revoked_at_ms     INTEGER,
  revoked_because   TEXT,
  created_at_ms     INTEGER NOT NULL,
  ends_at_ms        INTEGER NOT NULL      -- no token or code of the family is valid after this
) STRICT;
CREATE INDEX token_families_of_user ON token_families (user_id, application_id);
CREATE INDEX token_families_by_end ON token_families (ends_at_ms);

CREATE TABLE access_tokens (
  number            INTEGER PRIMARY KEY,
  digest            BLOB NOT NULL,
  family            INTEGER NOT NULL,
  scopes            TEXT NOT NULL,
  expires_at_ms     INTEGER NOT NULL,
  revoked_at_ms     INTEGER
) STRICT;

-- Scopes that the operator declares in addition to the nine of the specification.
CREATE TABLE scopes (
  name              TEXT PRIMARY KEY,
  description       TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bots (
  id                TEXT PRIMARY KEY,
  owner_id          TEXT NOT NULL REFERENCES users (id),
  name              TEXT NOT NULL,
  chat_platform_id  TEXT NOT NULL,
  avatar            TEXT,
  plan              TEXT NOT NULL,
  hosting_enabled   INTEGER NOT NULL,
  hosting_location  TEXT CHECK (hosting_location IN ('local', 'cloud')),
  public_status     INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL,
  deleted_at_ms     INTEGER
) STRICT, WITHOUT ROWID;
-- A deleted bot keeps its row. Its chat-platform ID can be used by another bot.
CREATE UNIQUE INDEX live_bots_by_chat_platform_id ON bots (chat_platform_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX live_bots_of_owner ON bots (owner_id, created_at_ms) WHERE deleted_at_ms IS NULL;

CREATE TABLE coworkers (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  user_id           TEXT NOT NULL REFERENCES users (id),
  role              TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      TEXT NOT NULL,
  PRIMARY KEY (bot_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX coworkers_of_user ON coworkers (user_id);

-- Guild IDs of a bot. The list is always read and replaced as a whole.
CREATE TABLE guilds (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  guild_ids         TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE flows (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  id                TEXT NOT NULL,
  kind              TEXT NOT NULL,
  name              TEXT NOT NULL,
  public_code       TEXT,
  webhook_path      TEXT,                 -- null: the flow has no webhook
  requires_key      INTEGER NOT NULL DEFAULT 0,
  key_digest        BLOB,
  key_last_four     TEXT,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (bot_id, id),
  UNIQUE (bot_id, webhook_path)
) STRICT, WITHOUT ROWID;

CREATE TABLE runtime_logs (
  number            INTEGER PRIMARY KEY,
  bot_id            TEXT NOT NULL,
  at_ms             INTEGER NOT NULL,
  level             TEXT NOT NULL,
  message           TEXT NOT NULL
) STRICT;
CREATE INDEX runtime_logs_of_bot ON runtime_logs (bot_id, at_ms, number);

CREATE TABLE runtimes (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  owner_id          TEXT REFERENCES users (id),  -- null for the operator's runtimes
  bot_ids           TEXT,                        -- null: every bot
  key_digest        BLOB NOT NULL UNIQUE,
  key_last_four     TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms);

-- The last heartbeat of each bot. The one received last wins.
CREATE TABLE snapshots (
  bot_id            TEXT PRIMARY KEY,
  reported_at_ms    INTEGER NOT NULL,
  ready             INTEGER NOT NULL,
  presence          TEXT,
  uptime_ms         INTEGER,
  guild_count       INTEGER,
  shard_count       INTEGER,
  has_left          INTEGER NOT NULL      -- 1: the bot's runtime has disconnected since
) STRICT, WITHOUT ROWID;
