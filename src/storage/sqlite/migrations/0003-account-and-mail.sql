-- When an application last used what a user had allowed it. Null: never, or not since this was kept.
ALTER TABLE consents ADD COLUMN last_used_at_ms INTEGER;

-- Known to a few minutes only.
ALTER TABLE sessions ADD COLUMN last_seen_at_ms INTEGER;

-- When the person, or the operator for them, showed that mail to `email` reaches them. What was there before
-- counts as shown.
ALTER TABLE users ADD COLUMN email_verified_at_ms INTEGER;
UPDATE users SET email_verified_at_ms = updated_at_ms WHERE email IS NOT NULL;
-- The address that takes the place of `email` once its link was followed.
ALTER TABLE users ADD COLUMN pending_email TEXT;
ALTER TABLE users ADD COLUMN pending_email_key TEXT;

-- Links that work once. Of each purpose a user has one at most: a new one takes the place of the old.
CREATE TABLE one_time_links (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password', 'set-pin')),
  digest            BLOB NOT NULL UNIQUE,
  email_key         TEXT,                 -- address it was sent to; null when the operator hands it over
  expires_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at_ms);

-- Mail that is accepted and not yet handed to the mail server. Links are made when it is sent, so none lies here.
CREATE TABLE outgoing_mail (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'email-changed')),
  user_id           TEXT,                 -- null: whoever has the address, if anybody
  address           TEXT NOT NULL,
  attempts          INTEGER NOT NULL DEFAULT 0,
  due_at_ms         INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms);
