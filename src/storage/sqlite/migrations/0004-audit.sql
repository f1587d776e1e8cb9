-- What happened to security-relevant things. No foreign keys: an event outlives what it is about.
CREATE TABLE audit_events (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: an export goes on from a number
  at_ms             INTEGER NOT NULL,
  kind              TEXT NOT NULL,
  -- A chain: for IN, SQLite would build its set of words anew at every insert.
  actor             TEXT NOT NULL CHECK (actor = 'user' OR actor = 'client' OR actor = 'operator' OR actor = 'nobody'),
  user_id           TEXT,
  application_id    TEXT,
  bot_id            TEXT,
  address           TEXT,
  user_agent        TEXT,
  detail            TEXT NOT NULL                       -- JSON object of short texts
) STRICT;
CREATE INDEX audit_events_of_user ON audit_events (user_id, number) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id, number) WHERE application_id IS NOT NULL;

-- Not even a fault of ours rewrites history: rows do not change, and only the oldest one can go.
CREATE TRIGGER audit_events_do_not_change BEFORE UPDATE ON audit_events
BEGIN
  SELECT raise(ABORT, 'audit events are not changed');
END;
CREATE TRIGGER audit_events_go_oldest_first BEFORE DELETE ON audit_events
WHEN OLD.number <> (SELECT min(number) FROM audit_events)
BEGIN
  SELECT raise(ABORT, 'only the oldest audit event can be deleted');
END;

-- Who used the refresh token last, and when: tells a client that asked twice at once from a thief.
ALTER TABLE token_families ADD COLUMN rotated_at_ms INTEGER;
ALTER TABLE token_families ADD COLUMN rotated_from BLOB;  -- digest of address and user agent
