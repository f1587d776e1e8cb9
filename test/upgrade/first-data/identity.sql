PRAGMA user_version = 5;
BEGIN TRANSACTION;
CREATE TABLE access_tokens (
  number            INTEGER PRIMARY KEY,
  digest            BLOB NOT NULL,
  family            INTEGER NOT NULL,
  scopes            TEXT NOT NULL,
  expires_at_ms     INTEGER NOT NULL,
  revoked_at_ms     INTEGER
) STRICT;
INSERT INTO "access_tokens" VALUES(1,X'85B6D0ABD6F56AA7CF610CD98D98DAA01FC86D8B7EB06AB03160F55AE5338177',1,'user.identify offline_access',1795276172774,NULL);
INSERT INTO "access_tokens" VALUES(2,X'58799B413E1A73D9E120BA037B7A1013246B85D7E917B7C6F75732B0CCE09C36',2,'user.identify offline_access',1795276172804,NULL);
INSERT INTO "access_tokens" VALUES(3,X'4ACFDF1D18C3E8CEECF76A9DB649B036F76C4C382A5C8C8D2481E5E14EEF265B',2,'user.identify offline_access',1795276172811,NULL);
INSERT INTO "access_tokens" VALUES(4,X'33E89090B158456007CC7D1DABDCBE341649A4CCF0775CB89B7A9DC3B76A82FD',3,'user.identify offline_access',1795276172830,NULL);
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
INSERT INTO "applications" VALUES('acme','svc_ci_c2HjTV8sH0d5HaCD810qrD','ada','Acme Dashboard','https://client.example','production',0,0,'["https://client.example/callback"]',1795275272545,1795275272545,NULL);
INSERT INTO "applications" VALUES('portal','svc_ci_portal',NULL,'Developer portal','http://localhost:7302','production',1,0,'["http://localhost:7302/callback"]',1795275271093,1795275271093,NULL);
CREATE TABLE audit_events (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: an export goes on from a number
  at_ms             INTEGER NOT NULL,
  kind              TEXT NOT NULL,
  actor             TEXT NOT NULL CHECK (actor IN ('user', 'client', 'operator', 'nobody')),
  user_id           TEXT,
  application_id    TEXT,
  bot_id            TEXT,
  address           TEXT,
  user_agent        TEXT,
  detail            TEXT NOT NULL                       -- JSON object of short texts
) STRICT;
INSERT INTO "audit_events" VALUES(1,1795275272518,'provisioned','operator','ada',NULL,NULL,'127.0.0.1','node','{"call":"putUser","outcome":"created","members":"name, email, password, pin"}');
INSERT INTO "audit_events" VALUES(2,1795275272547,'provisioned','operator',NULL,'acme',NULL,'127.0.0.1','node','{"call":"putApplication","outcome":"created","members":"ownerId, name, websiteUrl, redirectUris"}');
INSERT INTO "audit_events" VALUES(3,1795275272731,'sign-in','user','ada',NULL,NULL,'127.0.0.1','node','{"by":"password"}');
INSERT INTO "audit_events" VALUES(4,1795275272761,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO "audit_events" VALUES(5,1795275272800,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO "audit_events" VALUES(6,1795275272826,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO "audit_events" VALUES(7,1795275272833,'revoke','nobody','ada','acme',NULL,'127.0.0.1','node','{"token":"refresh token"}');
INSERT INTO "audit_events" VALUES(8,1795275272839,'provisioned','operator','grace',NULL,NULL,'127.0.0.1','node','{"call":"putUser","outcome":"created","members":"name, chatPlatformId, codeHostingId"}');
INSERT INTO "audit_events" VALUES(9,1795275272843,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"putScope","outcome":"created","scope":"themes.write","members":"description"}');
INSERT INTO "audit_events" VALUES(10,1795275272850,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putBot","outcome":"created","members":"ownerId, name, chatPlatformId, plan, hostingEnabled, hostingLocation, publicStatus"}');
INSERT INTO "audit_events" VALUES(11,1795275272932,'provisioned','operator','grace',NULL,'greeter','127.0.0.1','node','{"call":"putCoworker","outcome":"created","members":"role, capabilities"}');
INSERT INTO "audit_events" VALUES(12,1795275272951,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putGuilds","outcome":"changed","members":"guildIds"}');
INSERT INTO "audit_events" VALUES(13,1795275272986,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"keyed","members":"kind, name, webhook"}');
INSERT INTO "audit_events" VALUES(14,1795275273028,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"open","members":"kind, name, publicCode, webhook"}');
INSERT INTO "audit_events" VALUES(15,1795275273040,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"postRuntime","outcome":"created","id":"nkt6HMGybwQ0DSV7ZBnfpg","members":"name, botIds"}');
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
INSERT INTO "authorization_attempts" VALUES('1aShZbKAAn6zYeQEG92235','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795275272784,1795277072784);
INSERT INTO "authorization_attempts" VALUES('4Aej0nqXajVG028VbdCpfM','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795275272819,1795277072819);
INSERT INTO "authorization_attempts" VALUES('Xtp8waFjwzWjjsPzXHdV4e','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795275272752,1795277072752);
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
INSERT INTO "bots" VALUES('greeter','ada','Greeter','123456789012345678',NULL,'pro',1,'cloud',1,1795275272849,1795275272849,NULL);
CREATE TABLE client_secrets (
  application_id    TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
  digest            BLOB NOT NULL,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "client_secrets" VALUES('acme',X'CEC70F72B27F7D516352B326EE7E6A3D6EF3120F2B680E10736131C434AAA003','jj6u',1795275272545);
CREATE TABLE consents (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes            TEXT NOT NULL,
  first_granted_at_ms INTEGER NOT NULL,
  last_granted_at_ms INTEGER NOT NULL, last_used_at_ms INTEGER,
  PRIMARY KEY (user_id, application_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "consents" VALUES('ada','acme','user.identify offline_access',1795275272760,1795275272826,NULL);
CREATE TABLE coworkers (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  user_id           TEXT NOT NULL REFERENCES users (id),
  role              TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      TEXT NOT NULL,
  PRIMARY KEY (bot_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "coworkers" VALUES('greeter','grace','editor','["flows"]');
CREATE TABLE flows (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  id                TEXT NOT NULL,
  kind              TEXT NOT NULL,
  name              TEXT NOT NULL,
  public_code       TEXT,
  webhook_path      TEXT,                 -- null: the flow listens for no webhook
  requires_key      INTEGER NOT NULL DEFAULT 0,
  key_digest        BLOB,
  key_last_four     TEXT,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (bot_id, id),
  UNIQUE (bot_id, webhook_path)
) STRICT, WITHOUT ROWID;
INSERT INTO "flows" VALUES('greeter','keyed','event','Keyed',NULL,'keyed',1,X'F06F9E9E0E54C061AD0C4B9A48AA521C6A4EC61158C25B0792D3617D41826CF0','Ge1F',1795275272962,1795275272962);
INSERT INTO "flows" VALUES('greeter','open','event','Open','OPEN-1','open',0,NULL,NULL,1795275273021,1795275273021);
CREATE TABLE guilds (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  guild_ids         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "guilds" VALUES('greeter','["323456789012345678","423456789012345678"]');
CREATE TABLE linked_accounts (
  issuer            TEXT NOT NULL,        -- chat-platform, code-hosting, or the address of an OpenID issuer
  subject           TEXT NOT NULL,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              TEXT,
  linked_at_ms      INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;
CREATE TABLE one_time_links (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password', 'set-pin')),
  digest            BLOB NOT NULL UNIQUE,
  email_key         TEXT,                 -- address it was sent to; null when the operator hands it over
  expires_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TABLE outgoing_mail (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'email-changed')),
  user_id           TEXT,                 -- null: whoever has the address, if anybody
  address           TEXT NOT NULL,
  attempts          INTEGER NOT NULL DEFAULT 0,
  due_at_ms         INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT;
CREATE TABLE passkey_challenges (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  challenge         TEXT NOT NULL UNIQUE,               -- base64url
  purpose           TEXT NOT NULL CHECK (purpose IN ('registration', 'sign-in', 'proof')),
  browser           BLOB NOT NULL,                      -- digest of what tells browsers apart
  user_id           TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: nobody is signed in yet
  expires_at_ms     INTEGER NOT NULL
) STRICT;
CREATE TABLE passkeys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: an old address must not name a new passkey
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id     TEXT NOT NULL UNIQUE,               -- base64url
  public_key        BLOB NOT NULL,                      -- COSE key
  counter           INTEGER NOT NULL,
  transports        TEXT NOT NULL,
  backup_eligible   INTEGER NOT NULL,
  backed_up         INTEGER NOT NULL,
  name              TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER
) STRICT;
CREATE TABLE provider_visits (
  state_digest      BLOB PRIMARY KEY,
  browser_digest    BLOB NOT NULL,
  provider          TEXT NOT NULL,
  linking_user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: to sign in
  attempt_id        TEXT,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE runtime_logs (
  number            INTEGER PRIMARY KEY,
  bot_id            TEXT NOT NULL,
  at_ms             INTEGER NOT NULL,
  level             TEXT NOT NULL,
  message           TEXT NOT NULL
) STRICT;
INSERT INTO "runtime_logs" VALUES(1,'greeter',1795168800000,'warn','A line of the log');
CREATE TABLE runtimes (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  owner_id          TEXT REFERENCES users (id),  -- null for the operator's
  bot_ids           TEXT,                        -- null: every bot
  key_digest        BLOB NOT NULL UNIQUE,
  key_last_four     TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "runtimes" VALUES('nkt6HMGybwQ0DSV7ZBnfpg','one',NULL,NULL,X'307F44058FAA0F5A2755B9BF8F7933E826E4BEA15F9C4ACFDB6ECFB7645BBB64','gSpR',1795275273039);
CREATE TABLE scopes (
  name              TEXT PRIMARY KEY,
  description       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "scopes" VALUES('themes.write','Change themes');
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
, last_seen_at_ms INTEGER) STRICT;
INSERT INTO "sessions" VALUES(1,X'73CB607223D564FCE4C9426F39DE7F393BDF6098C2B0B65CE4146845A0377D54','identity','ada','node','127.0.0.1',1795275272731,1797867272731,NULL,1795275272731);
CREATE TABLE snapshots (
  bot_id            TEXT PRIMARY KEY,
  reported_at_ms    INTEGER NOT NULL,
  ready             INTEGER NOT NULL,
  presence          TEXT,
  uptime_ms         INTEGER,
  guild_count       INTEGER,
  shard_count       INTEGER,
  has_left          INTEGER NOT NULL      -- its runtime has said goodbye since
) STRICT, WITHOUT ROWID;
INSERT INTO "snapshots" VALUES('greeter',1795275273176,1,'idle',60000,2,1,1);
CREATE TABLE token_families (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: an old token must not name a new family
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
  ends_at_ms        INTEGER NOT NULL      -- nothing of the family is valid after this
, rotated_at_ms INTEGER, rotated_from BLOB) STRICT;
INSERT INTO "token_families" VALUES(1,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'09A496172806B2EB04F1139524269C39B0691A75E89245D27EC4A79F566A3A7A',1795275572760,1795275272774,1,X'BBD7B9DFC7989F3A16EDDEE07AF1C43674BB487347B513436FF1849D9DD79F29',1797867272774,NULL,NULL,1795275272760,1797867272774,NULL,NULL);
INSERT INTO "token_families" VALUES(2,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'FEE592F9DE125E667491DD2383128129678A2299A7BBFFC37ED46CAEBF480A67',1795275572800,1795275272804,2,X'0CF287CE700A06933CC16388CFD1117432015D240CB78FF11D678B15D9690EF2',1797867272811,NULL,NULL,1795275272800,1797867272811,1795275272811,X'30D41646CCCB7BB7C1FCC3E709CE885DA679D13A1C08BA96FA8611728F43E81C');
INSERT INTO "token_families" VALUES(3,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'F472C4D3BDE4A1F1CD279E97280A549394E10A3271F30281BF05B28786C1A0D4',1795275572826,1795275272830,1,X'8543AD3BEFADEBBA6E4E98CEC1375212372F4E74B98A2B72433FA81C255EF05E',1797867272830,1795275272833,'revoke-request',1795275272826,1797867272830,NULL,NULL);
CREATE TABLE users (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  email             TEXT,
  email_key         TEXT UNIQUE,          -- the address as compared: trimmed and lower case
  password_hash     TEXT,
  pin_hash          TEXT,
  pin_failures      INTEGER NOT NULL DEFAULT 0,
  pin_locked_until_ms INTEGER,
  chat_platform_id  TEXT UNIQUE,
  code_hosting_id   TEXT UNIQUE,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL
, email_verified_at_ms INTEGER, pending_email TEXT, pending_email_key TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "users" VALUES('ada','Ada','ada@example.com','ada@example.com','$argon2id$v=19$m=19456,t=2,p=1$R9k4uz22ZoCgbIdMfJuq7g$5VgkmDjolJWLGFQgVyqzPcg7ZGIJqAMEAjLTFKUY6KI','$argon2id$v=19$m=19456,t=2,p=1$BIHlaA+Gqu8vz1gfVhgoZQ$SakBnjcpGljYy0mo08MYvOfgqqSGG/09Cr7dSvvnrQI',0,NULL,NULL,NULL,1795275272515,1795275272515,1795275272515,NULL,NULL);
INSERT INTO "users" VALUES('grace','Grace',NULL,NULL,NULL,NULL,0,NULL,'223456789012345678','grace-hopper',1795275272837,1795275272837,NULL,NULL,NULL);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE INDEX applications_of_owner ON applications (owner_id);
CREATE INDEX authorization_attempts_by_expiry ON authorization_attempts (expires_at_ms);
CREATE INDEX token_families_of_user ON token_families (user_id, application_id);
CREATE INDEX token_families_by_end ON token_families (ends_at_ms);
CREATE UNIQUE INDEX live_bots_by_chat_platform_id ON bots (chat_platform_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX live_bots_of_owner ON bots (owner_id, created_at_ms) WHERE deleted_at_ms IS NULL;
CREATE INDEX coworkers_of_user ON coworkers (user_id);
CREATE INDEX runtime_logs_of_bot ON runtime_logs (bot_id, at_ms, number);
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms);
CREATE INDEX passkeys_of_user ON passkeys (user_id, number);
CREATE INDEX passkey_challenges_of_browser ON passkey_challenges (browser, number);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id);
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at_ms);
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms);
CREATE INDEX audit_events_of_user ON audit_events (user_id, number) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id, number) WHERE application_id IS NOT NULL;
CREATE TRIGGER audit_events_do_not_change BEFORE UPDATE ON audit_events
BEGIN
  SELECT raise(ABORT, 'audit events are not changed');
END;
CREATE TRIGGER audit_events_go_oldest_first BEFORE DELETE ON audit_events
WHEN OLD.number <> (SELECT min(number) FROM audit_events)
BEGIN
  SELECT raise(ABORT, 'only the oldest audit event can be deleted');
END;
CREATE INDEX provider_visits_by_expiry ON provider_visits (expires_at_ms);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('audit_events',15);
INSERT INTO "sqlite_sequence" VALUES('token_families',3);
COMMIT;
