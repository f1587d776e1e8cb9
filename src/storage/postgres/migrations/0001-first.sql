-- Times are milliseconds since the epoch (…_at_ms). Digests are 32 bytes. Lists are JSON arrays. Texts compare byte for
-- byte, as in SQLite, whatever the database's collation.

CREATE TABLE users (
  id                text COLLATE "C" PRIMARY KEY,
  name              text COLLATE "C" NOT NULL,
  email             text COLLATE "C",
  email_key         text COLLATE "C" UNIQUE,          -- normalized for comparison: trimmed and lower case
  password_hash     text COLLATE "C",
  pin_hash          text COLLATE "C",
  pin_failures      bigint NOT NULL DEFAULT 0,
  pin_locked_until_ms bigint,
  chat_platform_id  text COLLATE "C" UNIQUE,
  code_hosting_id   text COLLATE "C" UNIQUE,
  created_at_ms     bigint NOT NULL,
  updated_at_ms     bigint NOT NULL,
  email_verified_at_ms bigint,
  pending_email     text COLLATE "C",
  pending_email_key text COLLATE "C"
);

-- Sequences for rows whose number is needed before they are stored. Nodes take numbers in blocks, to save round trips.
CREATE SEQUENCE session_blocks;
CREATE SEQUENCE token_family_blocks;
CREATE SEQUENCE access_token_blocks;

CREATE TABLE sessions (
  number            bigint PRIMARY KEY,
  digest            bytea NOT NULL,
  surface           text COLLATE "C" NOT NULL CHECK (surface IN ('identity', 'portal')),
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent        text COLLATE "C",
  address           text COLLATE "C",
  created_at_ms     bigint NOT NULL,
  expires_at_ms     bigint NOT NULL,
  pin_unlocked_until_ms bigint,
  last_seen_at_ms bigint
);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

CREATE TABLE applications (
  id                text COLLATE "C" PRIMARY KEY,
  client_id         text COLLATE "C" NOT NULL UNIQUE,
  owner_id          text COLLATE "C" REFERENCES users (id),  -- null for the portal itself
  name              text COLLATE "C" NOT NULL,
  website_url       text COLLATE "C" NOT NULL,
  environment       text COLLATE "C" NOT NULL CHECK (environment IN ('development', 'production')),
  first_party       bigint NOT NULL DEFAULT 0,
  require_pkce      bigint NOT NULL DEFAULT 0,
  redirect_uris     text COLLATE "C" NOT NULL,
  created_at_ms     bigint NOT NULL,
  updated_at_ms     bigint NOT NULL,
  deleted_at_ms     bigint,
  verified bigint NOT NULL DEFAULT 0
);
CREATE INDEX applications_of_owner ON applications (owner_id);

CREATE TABLE authorization_attempts (
  id                text COLLATE "C" PRIMARY KEY,
  application_id    text COLLATE "C" NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  redirect_uri      text COLLATE "C" NOT NULL,
  scopes            text COLLATE "C" NOT NULL,
  state             text COLLATE "C",
  code_challenge    text COLLATE "C",
  skip_consent      bigint NOT NULL,
  created_at_ms     bigint NOT NULL,
  expires_at_ms     bigint NOT NULL
);
CREATE INDEX authorization_attempts_by_expiry ON authorization_attempts (expires_at_ms);

CREATE TABLE consents (
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id    text COLLATE "C" NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes            text COLLATE "C" NOT NULL,
  first_granted_at_ms bigint NOT NULL,
  last_granted_at_ms bigint NOT NULL, last_used_at_ms bigint,
  PRIMARY KEY (user_id, application_id)
);

CREATE TABLE token_families (
  number            bigint PRIMARY KEY,  -- never reused: an old token must not name a new family
  application_id    text COLLATE "C" NOT NULL,
  user_id           text COLLATE "C" NOT NULL,
  scopes            text COLLATE "C" NOT NULL,
  redirect_uri      text COLLATE "C" NOT NULL,
  code_challenge    text COLLATE "C",
  code_digest       bytea NOT NULL,
  code_expires_at_ms bigint NOT NULL,
  redeemed_at_ms    bigint,
  refresh_generation bigint NOT NULL DEFAULT 0,
  refresh_digest    bytea,
  refresh_expires_at_ms bigint,
  revoked_at_ms     bigint,
  revoked_because   text COLLATE "C",
  created_at_ms     bigint NOT NULL,
  ends_at_ms        bigint NOT NULL,     -- no code or token of the family is valid after this
  rotated_at_ms bigint,
  rotated_from bytea
);
CREATE INDEX token_families_of_user ON token_families (user_id, application_id);
CREATE INDEX token_families_by_end ON token_families (ends_at_ms);

CREATE TABLE access_tokens (
  number            bigint PRIMARY KEY,
  digest            bytea NOT NULL,
  family            bigint NOT NULL,
  scopes            text COLLATE "C" NOT NULL,
  expires_at_ms     bigint NOT NULL,
  revoked_at_ms     bigint
);

CREATE TABLE scopes (
  name              text COLLATE "C" PRIMARY KEY,
  description       text COLLATE "C" NOT NULL
);

CREATE TABLE bots (
  id                text COLLATE "C" PRIMARY KEY,
  owner_id          text COLLATE "C" NOT NULL REFERENCES users (id),
  name              text COLLATE "C" NOT NULL,
  chat_platform_id  text COLLATE "C" NOT NULL,
  avatar            text COLLATE "C",
  plan              text COLLATE "C" NOT NULL,
  hosting_enabled   bigint NOT NULL,
  hosting_location  text COLLATE "C" CHECK (hosting_location IN ('local', 'cloud')),
  public_status     bigint NOT NULL,
  created_at_ms     bigint NOT NULL,
  updated_at_ms     bigint NOT NULL,
  deleted_at_ms     bigint
);
CREATE UNIQUE INDEX live_bots_by_chat_platform_id ON bots (chat_platform_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX live_bots_of_owner ON bots (owner_id, created_at_ms) WHERE deleted_at_ms IS NULL;

CREATE TABLE coworkers (
  bot_id            text COLLATE "C" NOT NULL REFERENCES bots (id),
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id),
  role              text COLLATE "C" NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      text COLLATE "C" NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);
CREATE INDEX coworkers_of_user ON coworkers (user_id);

CREATE TABLE guilds (
  bot_id            text COLLATE "C" PRIMARY KEY REFERENCES bots (id),
  guild_ids         text COLLATE "C" NOT NULL
);

CREATE TABLE flows (
  bot_id            text COLLATE "C" NOT NULL REFERENCES bots (id),
  id                text COLLATE "C" NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  name              text COLLATE "C" NOT NULL,
  public_code       text COLLATE "C",
  webhook_path      text COLLATE "C",                 -- null: the flow listens for no webhook
  requires_key      bigint NOT NULL DEFAULT 0,
  created_at_ms     bigint NOT NULL,
  updated_at_ms     bigint NOT NULL, signature text COLLATE "C", signing_secret bytea, dedupe text COLLATE "C", webhook_ordered bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (bot_id, id),
  UNIQUE (bot_id, webhook_path)
);

CREATE TABLE runtime_logs (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  bot_id            text COLLATE "C" NOT NULL,
  at_ms             bigint NOT NULL,
  level             text COLLATE "C" NOT NULL,
  message           text COLLATE "C" NOT NULL
);
CREATE INDEX runtime_logs_of_bot ON runtime_logs (bot_id, at_ms, number);

-- Unlogged: a crash of the server empties it, and the next heartbeats fill it.
CREATE UNLOGGED TABLE snapshots (
  bot_id            text COLLATE "C" PRIMARY KEY,
  reported_at_ms    bigint NOT NULL,
  ready             bigint NOT NULL,
  presence          text COLLATE "C",
  uptime_ms         bigint,
  guild_count       bigint,
  shard_count       bigint,
  has_left          bigint NOT NULL      -- the bot's runtime has disconnected since
);

CREATE TABLE passkeys (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,  -- never reused: an old URL must not name a new passkey
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id     text COLLATE "C" NOT NULL UNIQUE,               -- base64url
  public_key        bytea NOT NULL,                      -- COSE key
  counter           bigint NOT NULL,
  transports        text COLLATE "C" NOT NULL,
  backup_eligible   bigint NOT NULL,
  backed_up         bigint NOT NULL,
  name              text COLLATE "C" NOT NULL,
  created_at_ms     bigint NOT NULL,
  last_used_at_ms   bigint
);
CREATE INDEX passkeys_of_user ON passkeys (user_id, number);

CREATE TABLE passkey_challenges (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  challenge         text COLLATE "C" NOT NULL UNIQUE,               -- base64url
  purpose           text COLLATE "C" NOT NULL CHECK (purpose IN ('registration', 'sign-in', 'proof')),
  browser           bytea NOT NULL,                      -- digest of the browser key
  user_id           text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,  -- null: nobody is signed in yet
  expires_at_ms     bigint NOT NULL
);
CREATE INDEX passkey_challenges_of_browser ON passkey_challenges (browser, number);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id);

CREATE TABLE one_time_links (
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           text COLLATE "C" NOT NULL CHECK (purpose IN ('verify-email', 'reset-password', 'set-pin')),
  digest            bytea NOT NULL UNIQUE,
  email_key         text COLLATE "C",                 -- recipient of the link; null if the operator passes the link on
  expires_at_ms     bigint NOT NULL,
  PRIMARY KEY (user_id, purpose)
);
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at_ms);

CREATE TABLE outgoing_mail (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  kind              text COLLATE "C" NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'email-changed')),
  user_id           text COLLATE "C",                 -- null: the account with this address, if any
  address           text COLLATE "C" NOT NULL,
  attempts          bigint NOT NULL DEFAULT 0,
  due_at_ms         bigint NOT NULL,
  created_at_ms     bigint NOT NULL
);
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms);

CREATE TABLE audit_events (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,  -- never reused: an export continues after the last number it has seen
  at_ms             bigint NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  -- Comparisons instead of IN, as in the SQLite schema.
  actor             text COLLATE "C" NOT NULL CHECK (actor = 'user' OR actor = 'client' OR actor = 'operator' OR actor = 'nobody'),
  user_id           text COLLATE "C",
  application_id    text COLLATE "C",
  bot_id            text COLLATE "C",
  address           text COLLATE "C",
  user_agent        text COLLATE "C",
  detail            text COLLATE "C" NOT NULL                       -- JSON object of short texts
);
CREATE INDEX audit_events_of_user ON audit_events (user_id, number) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id, number) WHERE application_id IS NOT NULL;

CREATE TABLE linked_accounts (
  issuer            text COLLATE "C" NOT NULL,        -- chat-platform, code-hosting, or the URL of an OpenID issuer
  subject           text COLLATE "C" NOT NULL,
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              text COLLATE "C",
  linked_at_ms      bigint NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
);

CREATE TABLE provider_visits (
  state_digest      bytea PRIMARY KEY,
  browser_digest    bytea NOT NULL,
  provider          text COLLATE "C" NOT NULL,
  linking_user_id   text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,  -- null for a sign-in
  onward            text COLLATE "C",
  expires_at_ms     bigint NOT NULL
);
CREATE INDEX provider_visits_by_expiry ON provider_visits (expires_at_ms);

CREATE TABLE kept_forms (
  id                text COLLATE "C" PRIMARY KEY,
  user_id           text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed            bytea NOT NULL,
  expires_at_ms     bigint NOT NULL
);
CREATE INDEX kept_forms_of_user ON kept_forms (user_id, expires_at_ms);
CREATE INDEX kept_forms_by_expiry ON kept_forms (expires_at_ms);

CREATE TABLE flow_keys (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  bot_id            text COLLATE "C" NOT NULL,
  flow_id           text COLLATE "C" NOT NULL,
  digest            bytea NOT NULL,
  last_four         text COLLATE "C" NOT NULL,
  made_at_ms        bigint NOT NULL,
  last_used_at_ms   bigint,
  ends_at_ms        bigint,              -- null: the current key
  FOREIGN KEY (bot_id, flow_id) REFERENCES flows (bot_id, id) ON DELETE CASCADE
);
CREATE INDEX flow_keys_of_flow ON flow_keys (bot_id, flow_id);

CREATE TABLE runtimes (
  id                text COLLATE "C" PRIMARY KEY,
  name              text COLLATE "C" NOT NULL,
  owner_id          text COLLATE "C" REFERENCES users (id),  -- null: belongs to the operator
  bot_ids           text COLLATE "C",                        -- null: every bot
  created_at_ms     bigint NOT NULL
);

CREATE TABLE runtime_keys (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  runtime_id        text COLLATE "C" NOT NULL REFERENCES runtimes (id) ON DELETE CASCADE,
  digest            bytea NOT NULL UNIQUE,
  last_four         text COLLATE "C" NOT NULL,
  made_at_ms        bigint NOT NULL,
  last_used_at_ms   bigint,
  ends_at_ms        bigint                      -- null: the current key
);
CREATE INDEX runtime_keys_of_runtime ON runtime_keys (runtime_id);
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms);
CREATE INDEX runtimes_of_owner ON runtimes (owner_id, created_at_ms) WHERE owner_id IS NOT NULL;

CREATE TABLE status_slots (
  bot_id            text COLLATE "C" NOT NULL,
  from_unit         bigint NOT NULL,
  until_unit        bigint NOT NULL,
  up_ms             bigint NOT NULL,
  down_ms           bigint NOT NULL,
  hosting_off_ms    bigint NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
);

CREATE TABLE status_days (
  bot_id            text COLLATE "C" NOT NULL,
  from_unit         bigint NOT NULL,
  until_unit        bigint NOT NULL,
  up_ms             bigint NOT NULL,
  down_ms           bigint NOT NULL,
  hosting_off_ms    bigint NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
);
CREATE INDEX status_days_by_end ON status_days (until_unit);

CREATE TABLE status_notices (
  bot_id            text COLLATE "C" PRIMARY KEY REFERENCES bots (id),
  notice            text COLLATE "C" NOT NULL,
  set_at_ms         bigint NOT NULL
);

CREATE TABLE client_secrets (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,  -- never reused: records about a deleted secret must not apply to a new one
  application_id    text COLLATE "C" NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  label             text COLLATE "C",                               -- null: created by registration or rotation
  digest            bytea NOT NULL,
  last_four         text COLLATE "C" NOT NULL,
  created_at_ms     bigint NOT NULL,
  last_used_at_ms   bigint
);
CREATE INDEX client_secrets_of_application ON client_secrets (application_id, number, digest);

CREATE TABLE application_days (
  application_id    text COLLATE "C" NOT NULL,
  day               bigint NOT NULL,     -- days since the epoch, UTC
  grants            bigint NOT NULL,
  refreshes         bigint NOT NULL,
  errors            bigint NOT NULL,
  PRIMARY KEY (application_id, day)
);
CREATE INDEX application_days_by_day ON application_days (day);

CREATE TABLE failed_requests (
  number            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  application_id    text COLLATE "C" NOT NULL,
  at_ms             bigint NOT NULL,
  place             text COLLATE "C" NOT NULL,
  error             text COLLATE "C",
  description       text COLLATE "C" NOT NULL,
  redirect_uri      text COLLATE "C"
);
CREATE INDEX failed_requests_of_application ON failed_requests (application_id, number);
CREATE INDEX failed_requests_by_time ON failed_requests (at_ms);
CREATE INDEX consents_of_application ON consents (application_id);

-- Protects the audit log even from our own bugs: rows can't be changed, and only the oldest can be deleted.
CREATE FUNCTION audit_events_do_not_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit events are not changed';
END $$;
CREATE TRIGGER audit_events_do_not_change BEFORE UPDATE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION audit_events_do_not_change();

CREATE FUNCTION audit_events_go_oldest_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT max(number) FROM gone) > (SELECT min(number) FROM audit_events) THEN
    RAISE EXCEPTION 'only the oldest audit event can be deleted';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_events_go_oldest_first AFTER DELETE ON audit_events
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION audit_events_go_oldest_first();

-- Times of the last requests of each counted address. Unlogged: after a crash of the server, counting starts again.
CREATE UNLOGGED TABLE request_counts (
  key               text COLLATE "C" PRIMARY KEY,
  times             bigint[] NOT NULL
) WITH (fillfactor = 50);
