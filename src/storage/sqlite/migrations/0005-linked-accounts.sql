-- Accounts that people have at other providers. Of the chat platform and of code hosting the truth stands in
-- `users` (chat_platform_id, code_hosting_id), which the operator may set too: a row here only adds what the
-- account is called, and counts while its subject is the one over there. Of any other issuer the row is the truth.
CREATE TABLE linked_accounts (
  issuer            TEXT NOT NULL,        -- chat-platform, code-hosting, or the address of an OpenID issuer
  subject           TEXT NOT NULL,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name              TEXT,
  linked_at_ms      INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;

-- Browsers that were sent to a provider, until they come back.
CREATE TABLE provider_visits (
  state_digest      BLOB PRIMARY KEY,
  browser_digest    BLOB NOT NULL,
  provider          TEXT NOT NULL,
  linking_user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: to sign in
  attempt_id        TEXT,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_visits_by_expiry ON provider_visits (expires_at_ms);
