-- When an application last used a user's consent. Null: not since this column was added.
ALTER TABLE consents ADD COLUMN last_used_at_ms INTEGER;

-- When the session was last used, accurate to a few minutes.
ALTER TABLE sessions ADD COLUMN last_seen_at_ms INTEGER;

-- When the user, or the operator for the user, verified `email`. Addresses stored by earlier releases count as
-- verified.
ALTER TABLE users ADD COLUMN email_verified_at_ms INTEGER;
UPDATE users SET email_verified_at_ms = updated_at_ms WHERE email IS NOT NULL;
-- The address that replaces `email` once the user follows its verification link.
ALTER TABLE users ADD COLUMN pending_email TEXT;
ALTER TABLE users ADD COLUMN pending_email_key TEXT;

-- One-time links. A user has at most one per purpose: a new link replaces the old one.
CREATE TABLE one_time_links (
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose           TEXT NOT NULL CHECK (purpose IN ('verify-email', 'reset-password', 'set-pin')),
  digest            BLOB NOT NULL UNIQUE,
  email_key         TEXT,                 -- recipient of the link; null if the operator passes the link on
  expires_at_ms     INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at_ms);

-- Mail that is not yet handed to the mail server. Links are created when it is sent, so none is stored here.
CREATE TABLE outgoing_mail (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'email-changed')),
  user_id           TEXT,                 -- null: the user with this address, if there is one
  address           TEXT NOT NULL,
  attempts          INTEGER NOT NULL DEFAULT 0,
  due_at_ms         INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms);
