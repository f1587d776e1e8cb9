-- Security-relevant events. No foreign keys, because an event outlives the records it names.
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
CREATE INDEX audit_events_of_user ON audit_events (user_id, number) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id, number) WHERE application_id IS NOT NULL;

-- Protects the history even from our own bugs: rows can't change, and only the oldest one can be deleted.
CREATE TRIGGER audit_events_do_not_change BEFORE UPDATE ON audit_events
BEGIN
  SELECT raise(ABORT, 'audit events are not changed');
END;
CREATE TRIGGER audit_events_go_oldest_first BEFORE DELETE ON audit_events
WHEN OLD.number <> (SELECT min(number) FROM audit_events)
BEGIN
  SELECT raise(ABORT, 'only the oldest audit event can be deleted');
END;

-- When and from where the refresh token was last used. Distinguishes a client that sent a request twice from a thief.
ALTER TABLE token_families ADD COLUMN rotated_at_ms INTEGER;
ALTER TABLE token_families ADD COLUMN rotated_from BLOB;  -- digest of address and user agent
