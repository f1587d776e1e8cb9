-- Mail about outages of bots is no longer sent, so the addresses are deleted.
DROP TABLE status_mail;
DROP TABLE status_subscribers;

-- SQLite can't change a CHECK constraint, so the table is copied.
CREATE TABLE outgoing_mail_new (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN ('verify-email', 'reset-password', 'email-changed')),
  user_id           TEXT,                 -- null: the user with this address, if there is one
  address           TEXT NOT NULL,
  attempts          INTEGER NOT NULL DEFAULT 0,
  due_at_ms         INTEGER NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  language          TEXT NOT NULL DEFAULT 'en'
) STRICT;
INSERT INTO outgoing_mail_new (number, kind, user_id, address, attempts, due_at_ms, created_at_ms, language)
  SELECT number, kind, user_id, address, attempts, due_at_ms, created_at_ms, language FROM outgoing_mail
  WHERE subscriber IS NULL;
DROP TABLE outgoing_mail;
ALTER TABLE outgoing_mail_new RENAME TO outgoing_mail;
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms, number);
