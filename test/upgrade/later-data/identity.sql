PRAGMA user_version = 30;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
, email_verified_at_ms INTEGER, pending_email TEXT, pending_email_key TEXT, disabled_at_ms INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO users VALUES('ada','Ada','ada@example.com','ada@example.com','$argon2id$v=19$m=19456,t=2,p=1,keyid=VjZdDWHC$IB/yWLfGhRwWlkB6xvpWPA$KUQoJhv6aVJD227gibgGmI6JAnzL0P+rW/L+yphl/EY','$argon2id$v=19$m=19456,t=2,p=1,keyid=VjZdDWHC$4fDBsY0z01xdfhI/tZToEg$k13q1qVccL+xLGE+IJmlIsUMwTgn6CSSsYB5Wkpx1EQ',0,NULL,NULL,NULL,1795722442855,1795722442855,1795722442855,NULL,NULL,NULL);
INSERT INTO users VALUES('grace','Grace',NULL,NULL,NULL,NULL,0,NULL,'223456789012345678','grace-hopper',1795722443108,1795722443108,NULL,NULL,NULL,NULL);
INSERT INTO users VALUES('mallory','Mallory','mallory@example.com','mallory@example.com','$argon2id$v=19$m=19456,t=2,p=1,keyid=VjZdDWHC$dXHN77bAeIJaUZMsNSFuNQ$nutzaa2r6Q1hKrdFw+7wAjO4sGQlz35xHwEckh4CXN8',NULL,0,NULL,NULL,NULL,1795722443381,1795722443381,1795722443381,NULL,NULL,1795722443384);
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
INSERT INTO sessions VALUES(1,X'cb964b51f4c926e41a4ae35ea2f2303d4dd9466eb5b88fdac6e9d12f567afceb','identity','ada','node','127.0.0.1',1795722443005,1798314443005,NULL,1795722443005);
INSERT INTO sessions VALUES(2,X'728326967db5f9690dfc3354787eb1566f679ffe162c0ba3a772b22a87d9dc2b','portal','ada','node','127.0.0.1',1795722443662,1798314443662,NULL,1795722443662);
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
, verified INTEGER NOT NULL DEFAULT 0, disabled_at_ms INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO applications VALUES('acme','svc_ci_4nSSfQEqWsmdm5fG4tfXmR','ada','Acme Dashboard','https://client.example','production',0,0,'["https://client.example/callback"]',1795722442922,1795722442922,NULL,0,NULL);
INSERT INTO applications VALUES('locked','svc_ci_HXav803VSB565gcvvvfG7v','ada','Locked','https://locked.example','production',0,0,'["https://locked.example/cb"]',1795722443388,1795722443388,NULL,0,1795722443391);
INSERT INTO applications VALUES('portal','svc_ci_portal',NULL,'Developer portal','http://localhost:24002','production',1,0,'["http://localhost:24002/callback"]',1795722440886,1795722440886,NULL,0,NULL);
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
, holder BLOB) STRICT, WITHOUT ROWID;
INSERT INTO authorization_attempts VALUES('4mScv35bG26X9hz7pqmwZk','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795722443091,1795724243091,X'6400564e2b35a4729c12c532347b4c1905bea0cd3f2957a7a825dec12ed36487');
INSERT INTO authorization_attempts VALUES('A8SJdeWPZMW7JvSjYyjzAr','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795722443704,1795724243704,X'6400564e2b35a4729c12c532347b4c1905bea0cd3f2957a7a825dec12ed36487');
INSERT INTO authorization_attempts VALUES('K674vYZhF53j6eKvrJw0Sj','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795722443036,1795724243036,X'6400564e2b35a4729c12c532347b4c1905bea0cd3f2957a7a825dec12ed36487');
INSERT INTO authorization_attempts VALUES('RveBXaDrFsySwjPxfhc97a','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795722443070,1795724243070,X'6400564e2b35a4729c12c532347b4c1905bea0cd3f2957a7a825dec12ed36487');
INSERT INTO authorization_attempts VALUES('sXmd2mV3z6xvd4gsbVHKj1','acme','https://client.example/callback','user.identify offline_access','the-state',NULL,0,1795722443693,1795724243693,X'6400564e2b35a4729c12c532347b4c1905bea0cd3f2957a7a825dec12ed36487');
CREATE TABLE consents (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  scopes            TEXT NOT NULL,
  first_granted_at_ms INTEGER NOT NULL,
  last_granted_at_ms INTEGER NOT NULL, last_used_at_ms INTEGER, implied_scopes TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, application_id)
) STRICT, WITHOUT ROWID;
INSERT INTO consents VALUES('ada','acme','user.identify offline_access',1795722443062,1795722443710,NULL,'');
INSERT INTO consents VALUES('ada','portal','',1795722443659,1795722443659,1795722443662,'user.identify');
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
, rotated_at_ms INTEGER, rotated_from BLOB) STRICT;
INSERT INTO token_families VALUES(1,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'f585aea853378fe7bd0557fad278bad1d8766fe79898d30606bcf1e9ef4f2f4e',1795722743062,1795722443067,1,X'f761ac6c60ae10436cb4e7fca2ff11135135c36e52a4328abd8b86bcfab2bef6',1798314443067,NULL,NULL,1795722443062,1798315200000,NULL,X'0000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO token_families VALUES(2,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'0afbc32b2b92e4d1d44377f90a68c1b8a1659fab0cbe2261c7318dc17404e40d',1795722743082,1795722443085,2,X'1488a47d69046070e511d07d63911f3c3ee79f96acce7266c050f21fec15a72d',1798314443088,NULL,NULL,1795722443082,1798315200000,1795722443088,X'30d41646cccb7bb7c1fcc3e709ce885da679d13a1c08ba96fa8611728f43e81c');
INSERT INTO token_families VALUES(3,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'99d4f8ba05b93540490d996199b1a8a2f3841f77e20ab452e3f26f25f9f8a3a3',1795722743097,1795722443099,1,X'783f4fa6cdaf54e8a381f33cf52c14096570194d01cb3c18bd418c310e0792bc',1798314443099,1795722443102,'revoke-request',1795722443097,1798315200000,NULL,X'0000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO token_families VALUES(4,'portal','ada','user.identify','http://localhost:24002/callback','QYEjksDDQIKUag_IgSoMK0up5biqsWS0zbkw1NaIyEo',X'e774508a17f5b1d94e1e3bd13cb0f4506a94eda8b13c3a86ec75a6a5cfaa2a4d',1795722743659,1795722443662,0,NULL,NULL,NULL,NULL,1795722443659,1795726800000,NULL,X'0000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO token_families VALUES(5,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'992920d1d9754730f871458f6ff33198e62852cee1edc58c024837527fd1f589',1795722743698,1795722443701,1,X'1469dacf37406f29a4d7370b34ecb8ca0eabeb783c41ed6982b42025ea7ec9df',1798314443701,NULL,NULL,1795722443698,1798315200000,NULL,X'0000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO token_families VALUES(6,'acme','ada','user.identify offline_access','https://client.example/callback',NULL,X'707ff0b44d14dcc27196c4e2bbc193109ceabd3d4376ebb87e8b81e9c2b6656d',1795722743710,NULL,0,NULL,NULL,NULL,NULL,1795722443710,1795722743710,NULL,X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE access_tokens (
  number            INTEGER PRIMARY KEY,
  digest            BLOB NOT NULL,
  family            INTEGER NOT NULL,
  scopes            TEXT NOT NULL,
  expires_at_ms     INTEGER NOT NULL,
  revoked_at_ms     INTEGER
) STRICT;
INSERT INTO access_tokens VALUES(1,X'7352345d99b0da65a0e5b5e03f56919a79b8ba03becc68d91e84f1987b02b223',1,'user.identify offline_access',1795723343067,NULL);
INSERT INTO access_tokens VALUES(2,X'116af6b827fe266a345d184e6f418f74e2de66029d3944a370da34b7cb6cb3f4',2,'user.identify offline_access',1795723343085,NULL);
INSERT INTO access_tokens VALUES(3,X'cc2ffb1e3ac65ddaf873cf5dbd60cc95623ee11a11ff3861532c7ffc9f825565',2,'user.identify offline_access',1795723343088,NULL);
INSERT INTO access_tokens VALUES(4,X'aa3dceb81db077b72a7520a8c4e28ac240068384c4b5e1204bf701eb3b935a07',3,'user.identify offline_access',1795723343099,NULL);
INSERT INTO access_tokens VALUES(5,X'88d9a55d351159d8551451f2f6f850e49c9e6746dd4df824b3dbdc138c7839c8',4,'user.identify',1795723343662,NULL);
INSERT INTO access_tokens VALUES(6,X'e3c31b8870f09a6fcca4e61368d1f54208548dc62804a7523327c84909e4b5db',5,'user.identify offline_access',1795723343701,NULL);
CREATE TABLE scopes (
  name              TEXT PRIMARY KEY,
  description       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO scopes VALUES('themes.write','Change themes');
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
INSERT INTO bots VALUES('greeter','ada','Greeter','123456789012345678',NULL,'pro',1,'cloud',1,1795722443120,1795722443120,NULL);
INSERT INTO bots VALUES('watcher','ada','Watcher','523456789012345678',NULL,'free',0,NULL,1,1795722443393,1795722443393,NULL);
CREATE TABLE coworkers (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  user_id           TEXT NOT NULL REFERENCES users (id),
  role              TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      TEXT NOT NULL,
  PRIMARY KEY (bot_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO coworkers VALUES('greeter','grace','editor','["flows"]');
CREATE TABLE guilds (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  guild_ids         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO guilds VALUES('greeter','["323456789012345678","423456789012345678"]');
CREATE TABLE flows (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  id                TEXT NOT NULL,
  kind              TEXT NOT NULL,
  name              TEXT NOT NULL,
  public_code       TEXT,
  webhook_path      TEXT,                 -- null: the flow has no webhook
  requires_key      INTEGER NOT NULL DEFAULT 0,
  created_at_ms     INTEGER NOT NULL,
  updated_at_ms     INTEGER NOT NULL, signature TEXT, signing_secret BLOB, dedupe TEXT, webhook_ordered INTEGER NOT NULL DEFAULT 0, owner_requires_key INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bot_id, id),
  UNIQUE (bot_id, webhook_path)
) STRICT, WITHOUT ROWID;
INSERT INTO flows VALUES('greeter','keyed','event','Keyed',NULL,'keyed',1,1795722443152,1795722443152,NULL,NULL,NULL,0,0);
INSERT INTO flows VALUES('greeter','open','event','Open','OPEN-1','open',0,1795722443201,1795722443201,NULL,NULL,NULL,0,0);
INSERT INTO flows VALUES('watcher','keyed','event','keyed',NULL,'keyed',1,1795722443402,1795722443414,NULL,NULL,NULL,0,1);
INSERT INTO flows VALUES('watcher','line','event','line',NULL,'line',0,1795722443400,1795722443400,NULL,NULL,NULL,1,0);
INSERT INTO flows VALUES('watcher','signed','event','signed',NULL,'signed',0,1795722443397,1795722443397,'{"preset":"github"}',X'56396a50c544585d66c3828eec6e0becef0feba7862f3f4f65b79328b8113c2d856cb4f794','{"header":"X-GitHub-Delivery","windowSeconds":86400}',0,0);
CREATE TABLE runtime_logs (
  number            INTEGER PRIMARY KEY,
  bot_id            TEXT NOT NULL,
  at_ms             INTEGER NOT NULL,
  level             TEXT NOT NULL,
  message           TEXT NOT NULL
) STRICT;
INSERT INTO runtime_logs VALUES(1,'greeter',1795168800000,'warn','A line of the log');
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
INSERT INTO snapshots VALUES('greeter',1795722443305,1,'idle',60000,2,1,1);
CREATE TABLE passkeys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: an old URL must not match a new passkey
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
INSERT INTO passkeys VALUES(1,'ada','5hHTrrwQm1ayU8YP-23sCZiENMWmOJT9rfWZoZ-ssH4',X'a50102032620012158209663a18184515c6e28bb644601d63fbb1580664171c2a8c88bd37301d31157f222582073061eb7458688d716b1a41db0c16e9aa5986aabfb032c46fadb2afeb8073a76',1,'["internal"]',0,0,'Key',1795722443606,NULL);
CREATE TABLE passkey_challenges (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  challenge         TEXT NOT NULL UNIQUE,               -- base64url
  purpose           TEXT NOT NULL CHECK (purpose IN ('registration', 'sign-in', 'proof')),
  browser           BLOB NOT NULL,                      -- digest that identifies the browser
  user_id           TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: no user is signed in yet
  expires_at_ms     INTEGER NOT NULL
, holder BLOB) STRICT;
CREATE TABLE one_time_links (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password', 'set-pin')),
  digest            BLOB NOT NULL UNIQUE,
  email_key         TEXT,                 -- recipient of the link; null if the operator passes the link on
  expires_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
) STRICT, WITHOUT ROWID;
INSERT INTO one_time_links VALUES('grace','reset-password',X'd0e343fd23f583fca818b94a6f2dd35ee1fbf188cac2973828d7e201edcf1329',NULL,1795808843439);
CREATE TABLE audit_events (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: an export continues after the last number it has seen
  at_ms             INTEGER NOT NULL,
  kind              TEXT NOT NULL,
  -- Comparisons instead of IN: for IN, SQLite would rebuild the set of words at every insert.
  actor             TEXT NOT NULL CHECK (actor = 'user' OR actor = 'client' OR actor = 'operator' OR actor = 'nobody'),
  user_id           TEXT,
  application_id    TEXT,
  bot_id            TEXT,
  address           TEXT,
  user_agent        TEXT,
  detail            TEXT NOT NULL                       -- JSON object of short strings
) STRICT;
INSERT INTO audit_events VALUES(1,1795722442879,'provisioned','operator','ada',NULL,NULL,'127.0.0.1','node','{"call":"putUser","outcome":"created","members":"name, email, password, pin"}');
INSERT INTO audit_events VALUES(2,1795722442923,'provisioned','operator',NULL,'acme',NULL,'127.0.0.1','node','{"call":"putApplication","outcome":"created","members":"ownerId, name, websiteUrl, redirectUris"}');
INSERT INTO audit_events VALUES(3,1795722443006,'sign-in','user','ada',NULL,NULL,'127.0.0.1','node','{"by":"password"}');
INSERT INTO audit_events VALUES(4,1795722443062,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO audit_events VALUES(5,1795722443082,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO audit_events VALUES(6,1795722443098,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO audit_events VALUES(7,1795722443102,'revoke','nobody','ada','acme',NULL,'127.0.0.1','node','{"token":"refresh token"}');
INSERT INTO audit_events VALUES(8,1795722443108,'provisioned','operator','grace',NULL,NULL,'127.0.0.1','node','{"call":"putUser","outcome":"created","members":"name, chatPlatformId, codeHostingId"}');
INSERT INTO audit_events VALUES(9,1795722443113,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"putScope","outcome":"created","scope":"themes.write","members":"description"}');
INSERT INTO audit_events VALUES(10,1795722443122,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putBot","outcome":"created","members":"ownerId, name, chatPlatformId, plan, hostingEnabled, hostingLocation, publicStatus"}');
INSERT INTO audit_events VALUES(11,1795722443134,'provisioned','operator','grace',NULL,'greeter','127.0.0.1','node','{"call":"putCoworker","outcome":"created","members":"role, capabilities"}');
INSERT INTO audit_events VALUES(12,1795722443139,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putGuilds","outcome":"changed","members":"guildIds"}');
INSERT INTO audit_events VALUES(13,1795722443153,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"keyed","members":"kind, name, webhook"}');
INSERT INTO audit_events VALUES(14,1795722443225,'provisioned','operator',NULL,NULL,'greeter','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"open","members":"kind, name, publicCode, webhook"}');
INSERT INTO audit_events VALUES(15,1795722443240,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"postRuntime","outcome":"created","id":"xfw7dC9zDHkXdVwf610Jhh","members":"name, botIds"}');
INSERT INTO audit_events VALUES(16,1795722443381,'provisioned','operator','mallory',NULL,NULL,'127.0.0.1','node','{"call":"putUser","outcome":"created","members":"name, email, password"}');
INSERT INTO audit_events VALUES(17,1795722443385,'provisioned','operator','mallory',NULL,NULL,'127.0.0.1','node','{"call":"disableUser","outcome":"disabled"}');
INSERT INTO audit_events VALUES(18,1795722443388,'provisioned','operator',NULL,'locked',NULL,'127.0.0.1','node','{"call":"putApplication","outcome":"created","members":"ownerId, name, websiteUrl, redirectUris"}');
INSERT INTO audit_events VALUES(19,1795722443391,'provisioned','operator',NULL,'locked',NULL,'127.0.0.1','node','{"call":"disableApplication","outcome":"disabled"}');
INSERT INTO audit_events VALUES(20,1795722443394,'provisioned','operator',NULL,NULL,'watcher','127.0.0.1','node','{"call":"putBot","outcome":"created","members":"ownerId, name, chatPlatformId, hostingEnabled, publicStatus"}');
INSERT INTO audit_events VALUES(21,1795722443398,'provisioned','operator',NULL,NULL,'watcher','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"signed","members":"kind, name, webhook"}');
INSERT INTO audit_events VALUES(22,1795722443400,'provisioned','operator',NULL,NULL,'watcher','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"line","members":"kind, name, webhook"}');
INSERT INTO audit_events VALUES(23,1795722443403,'provisioned','operator',NULL,NULL,'watcher','127.0.0.1','node','{"call":"putFlow","outcome":"created","flowId":"keyed","members":"kind, name, webhook"}');
INSERT INTO audit_events VALUES(24,1795722443415,'flow-key-made','user','ada',NULL,'watcher','127.0.0.1','node','{"flow":"keyed","before":"ends in 24 hours"}');
INSERT INTO audit_events VALUES(25,1795722443423,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"putSubscription","outcome":"created","subscriptionId":"hooks","members":"ownerId, url, types"}');
INSERT INTO audit_events VALUES(26,1795722443433,'provisioned','operator',NULL,NULL,NULL,'127.0.0.1','node','{"call":"postOperatorKey","outcome":"created","id":"qERnNaVF6xmJ3CKADzBbFS","members":"name, access"}');
INSERT INTO audit_events VALUES(27,1795722443440,'provisioned','operator','grace',NULL,NULL,'127.0.0.1','node','{"call":"postRecovery","outcome":"created"}');
INSERT INTO audit_events VALUES(28,1795722443456,'webhook-tested','user','ada',NULL,'watcher','127.0.0.1','node','{"flow":"line","event":"ev107m4aiokjk"}');
INSERT INTO audit_events VALUES(29,1795722443466,'runtime-made','user','ada',NULL,'watcher','127.0.0.1','node','{"runtime":"xZGkRTjQkBepfJaXt7r1XM"}');
INSERT INTO audit_events VALUES(30,1795722443486,'coworker-invited','user','ada',NULL,'watcher','127.0.0.1','node','{"role":"editor","capabilities":"keys"}');
INSERT INTO audit_events VALUES(31,1795722443607,'passkey-added','user','ada',NULL,NULL,'127.0.0.1','node','{}');
INSERT INTO audit_events VALUES(32,1795722443650,'personal-token-created','user','ada',NULL,NULL,'127.0.0.1','node','{"personalTokenId":"2v1HwZgGGVqrc0HxBjkr32","personalTokenName":"Deploy","scopes":"bots.read"}');
INSERT INTO audit_events VALUES(33,1795722443659,'grant','user','ada','portal',NULL,'127.0.0.1','node','{"scopes":"user.identify","consent":"implied"}');
INSERT INTO audit_events VALUES(34,1795722443662,'sign-in','user','ada',NULL,NULL,'127.0.0.1','node','{"by":"portal"}');
INSERT INTO audit_events VALUES(35,1795722443675,'secret-added','user','ada','acme',NULL,'127.0.0.1','node','{}');
INSERT INTO audit_events VALUES(36,1795722443699,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
INSERT INTO audit_events VALUES(37,1795722443711,'grant','user','ada','acme',NULL,'127.0.0.1','node','{"scopes":"user.identify offline_access","consent":"given"}');
CREATE TABLE linked_accounts (
  issuer            TEXT NOT NULL,        -- chat-platform, code-hosting, or the URL of an OpenID issuer
  subject           TEXT NOT NULL,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              TEXT,
  linked_at_ms      INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;
CREATE TABLE provider_visits (
  state_digest      BLOB PRIMARY KEY,
  browser_digest    BLOB NOT NULL,
  provider          TEXT NOT NULL,
  linking_user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null for a sign-in
  onward        TEXT,
  expires_at_ms     INTEGER NOT NULL
, holder BLOB) STRICT, WITHOUT ROWID;
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
INSERT INTO flow_keys VALUES(1,'greeter','keyed',X'dbe35e2b73d689201f3bb90b6219aba17f35ef40d186b900103c3c000e6aa235','x9sS',1795722443152,NULL,NULL);
INSERT INTO flow_keys VALUES(2,'watcher','keyed',X'998f52d5fd851cfdd7c55379a779dd573942b2c58443d94d280de89b14319ea5','29qV',1795722443402,NULL,1795808843414);
INSERT INTO flow_keys VALUES(3,'watcher','keyed',X'3551bdbcdb939a5d7b8efcbd7ec772cfbef2fd570a2a7b8ab0391cf09b798259','O62c',1795722443414,NULL,NULL);
CREATE TABLE IF NOT EXISTS "runtimes" (
  id                TEXT PRIMARY KEY,
  name              TEXT NOT NULL,
  owner_id          TEXT REFERENCES users (id),  -- null for the operator's runtimes
  bot_ids           TEXT,                        -- null: every bot
  created_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO runtimes VALUES('xZGkRTjQkBepfJaXt7r1XM','Attic','ada','["watcher"]',1795722443466);
INSERT INTO runtimes VALUES('xfw7dC9zDHkXdVwf610Jhh','one',NULL,NULL,1795722443239);
CREATE TABLE runtime_keys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  runtime_id        TEXT NOT NULL REFERENCES "runtimes" (id) ON DELETE CASCADE,
  digest            BLOB NOT NULL UNIQUE,
  last_four         TEXT NOT NULL,
  made_at_ms        INTEGER NOT NULL,
  last_used_at_ms   INTEGER,
  ends_at_ms        INTEGER                      -- null: the current key
) STRICT;
INSERT INTO runtime_keys VALUES(1,'xfw7dC9zDHkXdVwf610Jhh',X'd096665c2e7772f5212b349d2656f3f63608b952ebdec0515f1939d1eb40b27c','lsAc',1795722443239,1795722443305,NULL);
INSERT INTO runtime_keys VALUES(2,'xZGkRTjQkBepfJaXt7r1XM',X'a74656a7850bddb62f5b65f539a85cb8f543bbb5a6c41469d18152c9c4c27641','HoJ0',1795722443466,1795722443471,NULL);
CREATE TABLE status_slots (
  bot_id            TEXT NOT NULL,
  from_unit         INTEGER NOT NULL,
  until_unit        INTEGER NOT NULL,
  up_ms             INTEGER NOT NULL,
  down_ms           INTEGER NOT NULL,
  hosting_off_ms    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
) STRICT, WITHOUT ROWID;
INSERT INTO status_slots VALUES('greeter',5985741,5985742,7,551,0);
CREATE TABLE status_days (
  bot_id            TEXT NOT NULL,
  from_unit         INTEGER NOT NULL,
  until_unit        INTEGER NOT NULL,
  up_ms             INTEGER NOT NULL,
  down_ms           INTEGER NOT NULL,
  hosting_off_ms    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
) STRICT, WITHOUT ROWID;
CREATE TABLE status_notices (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  notice            TEXT NOT NULL,
  set_at_ms         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO status_notices VALUES('watcher','Moves on Sunday',1795722443461);
CREATE TABLE IF NOT EXISTS "client_secrets" (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: a late record of use must not apply to another secret
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  label             TEXT,                               -- null: created by registration or rotation
  digest            BLOB NOT NULL,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER
) STRICT;
INSERT INTO client_secrets VALUES(1,'acme',NULL,X'd49358d8bff2d33e2a04c0700785e7b99a3c157ce18d6765323cc1b901df6409','OTYW',1795722442922,1795722443701);
INSERT INTO client_secrets VALUES(2,'locked',NULL,X'433c99abcb114fe0a1f325844adfa20e1bb039283f590d9cd0d886b9fdd8cd34','803K',1795722443388,NULL);
INSERT INTO client_secrets VALUES(3,'acme','Second server',X'058f39581bc6b377c76bc37ec6b47c2416263a95fc7ae52de620c861cdd19d84','wBca',1795722443675,NULL);
CREATE TABLE application_days (
  application_id    TEXT NOT NULL,
  day               INTEGER NOT NULL,     -- days since the epoch, UTC
  grants            INTEGER NOT NULL,
  refreshes         INTEGER NOT NULL,
  errors            INTEGER NOT NULL,
  PRIMARY KEY (application_id, day)
) STRICT, WITHOUT ROWID;
INSERT INTO application_days VALUES('acme',20783,5,1,1);
INSERT INTO application_days VALUES('portal',20783,1,0,0);
CREATE TABLE failed_requests (
  number            INTEGER PRIMARY KEY,
  application_id    TEXT NOT NULL,
  at_ms             INTEGER NOT NULL,
  place             TEXT NOT NULL,
  error             TEXT,
  description       TEXT NOT NULL,
  redirect_uri      TEXT
, reason TEXT, parameter TEXT) STRICT;
INSERT INTO failed_requests VALUES(1,'acme',1795722443679,'token','invalid_grant','The authorization code is not known. Send it exactly as the redirect carried it.',NULL,'code-unknown',NULL);
CREATE TABLE kept_forms (
  id                TEXT PRIMARY KEY,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed            BLOB NOT NULL,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE secret_key_check (
  id                INTEGER PRIMARY KEY CHECK (id = 1),
  check_value       BLOB
) STRICT;
INSERT INTO secret_key_check VALUES(1,X'bc98154a543ad8fc5f71beccc6a492aee87a90e2da52a1f52a1c920c7ae0683d');
CREATE TABLE invitations (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: a page open in a browser must not act on another one
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  label             TEXT NOT NULL,        -- the owner's note about the invited person
  role              TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      TEXT NOT NULL,
  digest            BLOB NOT NULL UNIQUE,
  expires_at_ms     INTEGER NOT NULL,
  accepted_by       TEXT REFERENCES users (id) ON DELETE CASCADE
) STRICT;
INSERT INTO invitations VALUES(1,'watcher','Grace','editor','["keys"]',X'a65499a716a2e7740c067b53f83bce572e2b7ddc9c0dee2f1943170d5b463b78',1796327243486,NULL);
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
INSERT INTO operator_keys VALUES(1,'qERnNaVF6xmJ3CKADzBbFS','reader','read',X'98965755c04cd464ae50601db86029376c64b863e4fe202d77f599fc6fdd0b23','7NhK',1795722443433,NULL);
CREATE TABLE deleted_bots (
  id                TEXT PRIMARY KEY,
  deleted_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
INSERT INTO subscriptions VALUES('hooks','ada','https://hooks.example/x','["delivery.dead"]',NULL,X'e5d7afd5b5bd86fd75ca3cd89be199f299533bae39ef377b952501059439aee08c225157e564d349ac4a3b0adcfead0f7bcf94edbd8fe53d6b6d9d4c8089382108eefb89fe8a8083d6f04ddd340b',NULL,NULL,1795722443423);
CREATE TABLE announced_states (
  bot_id                      TEXT NOT NULL REFERENCES bots (id),
  subject                     TEXT NOT NULL,        -- connection or queue
  state                       TEXT NOT NULL,
  since_ms                    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_reader (
  only_row                    INTEGER PRIMARY KEY CHECK (only_row = 1),
  number                      INTEGER NOT NULL
) STRICT;
INSERT INTO audit_reader VALUES(1,24);
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
INSERT INTO personal_tokens VALUES(1,'2v1HwZgGGVqrc0HxBjkr32','ada','Deploy','bots.read',X'd5afe5cea4804cbc9ada00d6a1ea9b98c5a864f9027738b10c3457c6c9e203bc','g684',1795722443614,1798314443614,NULL);
CREATE TABLE refused_webhooks (
  number            INTEGER PRIMARY KEY,
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,        -- empty: the webhook matched no flow
  cause             TEXT NOT NULL,
  address           TEXT NOT NULL,
  path              TEXT,                 -- null if a flow listens on it
  count             INTEGER NOT NULL,
  first_at_ms       INTEGER NOT NULL,
  last_at_ms        INTEGER NOT NULL
) STRICT;
INSERT INTO refused_webhooks VALUES(1,'watcher','signed','signature-mismatch','127.0.0.1',NULL,1,1795722443446,1795722443446);
CREATE TABLE runtime_connections (
  runtime_id        TEXT NOT NULL REFERENCES runtimes (id) ON DELETE CASCADE,
  instance          TEXT NOT NULL,
  agent             TEXT NOT NULL,
  connected_at_ms   INTEGER NOT NULL,
  heard_at_ms       INTEGER NOT NULL,
  ended_at_ms       INTEGER,              -- null: open, or the node stopped without storing the end
  PRIMARY KEY (runtime_id, instance)
) STRICT, WITHOUT ROWID;
INSERT INTO runtime_connections VALUES('xZGkRTjQkBepfJaXt7r1XM','cellar','fill/1',1795722443473,1795722443473,1795722443479);
INSERT INTO runtime_connections VALUES('xfw7dC9zDHkXdVwf610Jhh','one','fill/1',1795722443294,1795722443305,1795722443307);
CREATE TABLE status_changes (
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  at_ms             INTEGER NOT NULL,
  state             TEXT NOT NULL,        -- online, offline or hosting-off
  PRIMARY KEY (bot_id, at_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE status_subscribers (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,   -- never reused: links contain it
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  address           TEXT NOT NULL,
  address_key       TEXT NOT NULL,
  language          TEXT NOT NULL,
  requested_at_ms   INTEGER NOT NULL,     -- when the last confirmation mail was requested
  confirmed_at_ms   INTEGER,              -- null: not confirmed, deleted soon
  UNIQUE (bot_id, address_key)
) STRICT;
CREATE TABLE status_mail (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  notified          TEXT NOT NULL,        -- online or offline
  notified_at_ms    TEXT NOT NULL,        -- JSON: when mail went out in the last hour
  due_at_ms         INTEGER               -- when to compare the bot's state with it; null: nothing changed
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "outgoing_mail" (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN
                      ('verify-email', 'reset-password', 'email-changed', 'confirm-status', 'bot-offline', 'bot-online')),
  user_id           TEXT,                 -- null: the user with this address, if there is one
  address           TEXT NOT NULL,
  attempts          INTEGER NOT NULL DEFAULT 0,
  due_at_ms         INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  language          TEXT NOT NULL DEFAULT 'en',
  subscriber        INTEGER,              -- of a bot's status; null: mail about an account, which is sent first
  detail            TEXT                  -- JSON: the outage that the mail is about
) STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('flow_keys',3);
INSERT INTO sqlite_sequence VALUES('runtime_keys',2);
INSERT INTO sqlite_sequence VALUES('client_secrets',3);
INSERT INTO sqlite_sequence VALUES('outgoing_mail',0);
INSERT INTO sqlite_sequence VALUES('audit_events',37);
INSERT INTO sqlite_sequence VALUES('token_families',6);
INSERT INTO sqlite_sequence VALUES('operator_keys',1);
INSERT INTO sqlite_sequence VALUES('invitations',1);
INSERT INTO sqlite_sequence VALUES('passkey_challenges',1);
INSERT INTO sqlite_sequence VALUES('passkeys',1);
INSERT INTO sqlite_sequence VALUES('personal_tokens',1);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE INDEX authorization_attempts_by_expiry ON authorization_attempts (expires_at_ms);
CREATE INDEX token_families_of_user ON token_families (user_id, application_id);
CREATE INDEX token_families_by_end ON token_families (ends_at_ms);
CREATE UNIQUE INDEX live_bots_by_chat_platform_id ON bots (chat_platform_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX coworkers_of_user ON coworkers (user_id);
CREATE INDEX runtime_logs_of_bot ON runtime_logs (bot_id, at_ms, number);
CREATE INDEX passkeys_of_user ON passkeys (user_id, number);
CREATE INDEX passkey_challenges_of_browser ON passkey_challenges (browser, number);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id);
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at_ms);
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
CREATE INDEX flow_keys_of_flow ON flow_keys (bot_id, flow_id);
CREATE INDEX runtime_keys_of_runtime ON runtime_keys (runtime_id);
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms);
CREATE INDEX runtimes_of_owner ON runtimes (owner_id, created_at_ms) WHERE owner_id IS NOT NULL;
CREATE INDEX status_days_by_end ON status_days (until_unit);
CREATE INDEX client_secrets_of_application ON client_secrets (application_id, number, digest);
CREATE INDEX application_days_by_day ON application_days (day);
CREATE INDEX failed_requests_of_application ON failed_requests (application_id, number);
CREATE INDEX failed_requests_by_time ON failed_requests (at_ms);
CREATE INDEX consents_of_application ON consents (application_id);
CREATE INDEX kept_forms_of_user ON kept_forms (user_id, expires_at_ms);
CREATE INDEX kept_forms_by_expiry ON kept_forms (expires_at_ms);
CREATE INDEX audit_events_of_user ON audit_events (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id) WHERE application_id IS NOT NULL;
CREATE INDEX authorization_attempts_of_holder ON authorization_attempts (holder, created_at_ms) WHERE holder IS NOT NULL;
CREATE INDEX passkey_challenges_of_holder ON passkey_challenges (holder, number) WHERE holder IS NOT NULL;
CREATE INDEX provider_visits_of_holder ON provider_visits (holder, expires_at_ms) WHERE holder IS NOT NULL;
CREATE INDEX invitations_of_bot ON invitations (bot_id);
CREATE INDEX invitations_of_user ON invitations (accepted_by) WHERE accepted_by IS NOT NULL;
CREATE INDEX invitations_by_expiry ON invitations (expires_at_ms);
CREATE INDEX users_by_age ON users (created_at_ms, id);
CREATE INDEX applications_by_age ON applications (created_at_ms, id);
CREATE INDEX applications_of_owner ON applications (owner_id, created_at_ms, id);
CREATE INDEX live_bots_by_age ON bots (created_at_ms, id) WHERE deleted_at_ms IS NULL;
CREATE INDEX bots_of_owner ON bots (owner_id, deleted_at_ms, created_at_ms);
CREATE INDEX subscriptions_of_owner ON subscriptions (owner_id);
CREATE INDEX personal_tokens_of_user ON personal_tokens (user_id, number);
CREATE INDEX personal_tokens_by_expiry ON personal_tokens (expires_at_ms);
CREATE INDEX refused_webhooks_of_bot ON refused_webhooks (bot_id, flow_id, number);
CREATE INDEX refused_webhooks_by_time ON refused_webhooks (last_at_ms);
CREATE INDEX status_changes_by_time ON status_changes (at_ms);
CREATE INDEX status_subscribers_by_address ON status_subscribers (address_key);
CREATE INDEX status_subscribers_unconfirmed ON status_subscribers (requested_at_ms) WHERE confirmed_at_ms IS NULL;
CREATE INDEX status_mail_by_due_time ON status_mail (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms, number);
CREATE INDEX outgoing_mail_of_accounts ON outgoing_mail (due_at_ms, number) WHERE subscriber IS NULL;
CREATE INDEX outgoing_mail_of_subscribers ON outgoing_mail (subscriber) WHERE subscriber IS NOT NULL;
COMMIT;
