-- Email addresses that get mail about a bot's outages, or will once they are confirmed.
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
CREATE INDEX status_subscribers_by_address ON status_subscribers (address_key);
CREATE INDEX status_subscribers_unconfirmed ON status_subscribers (requested_at_ms) WHERE confirmed_at_ms IS NULL;

-- The state that a bot's subscribers were last notified of. One row per bot that has had a confirmed subscriber.
CREATE TABLE status_mail (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  notified          TEXT NOT NULL,        -- online or offline
  notified_at_ms    TEXT NOT NULL,        -- JSON: when mail went out in the last hour
  due_at_ms         INTEGER               -- when to compare the bot's state with it; null: nothing changed
) STRICT, WITHOUT ROWID;
CREATE INDEX status_mail_by_due_time ON status_mail (due_at_ms) WHERE due_at_ms IS NOT NULL;

-- SQLite can't change a CHECK constraint, so the table is copied.
CREATE TABLE outgoing_mail_new (
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
INSERT INTO outgoing_mail_new (number, kind, user_id, address, attempts, due_at_ms, created_at_ms, language)
  SELECT number, kind, user_id, address, attempts, due_at_ms, created_at_ms, language FROM outgoing_mail;
DROP TABLE outgoing_mail;
ALTER TABLE outgoing_mail_new RENAME TO outgoing_mail;
CREATE INDEX outgoing_mail_by_due_time ON outgoing_mail (due_at_ms, number);
CREATE INDEX outgoing_mail_of_accounts ON outgoing_mail (due_at_ms, number) WHERE subscriber IS NULL;
CREATE INDEX outgoing_mail_of_subscribers ON outgoing_mail (subscriber) WHERE subscriber IS NOT NULL;
