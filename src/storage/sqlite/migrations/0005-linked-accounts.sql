-- Users' accounts at other providers. For the chat platform and code hosting, `users` (chat_platform_id,
-- code_hosting_id) is authoritative, and the operator can set it too. A row here then only adds the account's name, and
-- counts only while its subject equals the ID in `users`. For every other issuer the row is authoritative.
CREATE TABLE linked_accounts (
  issuer            TEXT NOT NULL,        -- chat-platform, code-hosting, or the URL of an OpenID issuer
  subject           TEXT NOT NULL,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              TEXT,
  linked_at_ms      INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;

-- Browsers that were redirected to a provider and have not returned yet.
CREATE TABLE provider_visits (
  state_digest      BLOB PRIMARY KEY,
  browser_digest    BLOB NOT NULL,
  provider          TEXT NOT NULL,
  linking_user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null for a sign-in
  attempt_id        TEXT,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_visits_by_expiry ON provider_visits (expires_at_ms);
