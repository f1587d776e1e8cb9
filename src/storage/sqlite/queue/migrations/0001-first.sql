-- Every accepted event, from acceptance to the end of its retention. Queue, delivery log, replays and dead letters are
-- states of this table. The order of ready events is kept in memory and rebuilt from here at startup, so accepting an
-- event writes one row and no index. Times are milliseconds since the epoch (…_at_ms).

CREATE TABLE events (
  number            INTEGER PRIMARY KEY,  -- composed of the time of acceptance and a counter; ascending, never reused
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,
  path              TEXT NOT NULL,
  -- Comparisons instead of IN: for IN, SQLite would rebuild the set of words at every insert, which takes half of the
  -- insert's time.
  state             TEXT NOT NULL CHECK (state = 'ready' OR state = 'leased' OR state = 'done' OR state = 'dead'),
  attempts          INTEGER NOT NULL,     -- attempts begun, not counting released leases
  leases            INTEGER NOT NULL,     -- leases begun, including released ones; part of the delivery's ID
  due_at_ms         INTEGER NOT NULL,
  holder            TEXT,                 -- holder of the lease
  accepted_at_ms    INTEGER NOT NULL,
  finished_at_ms    INTEGER,              -- when it was acknowledged or became a dead letter
  last_error        TEXT,
  dead_because      TEXT,
  replay_of         INTEGER,
  client_ip         TEXT NOT NULL,
  content_type      TEXT,
  user_agent        TEXT,
  forwarded_for     TEXT,
  request_id        TEXT,
  body_bytes        INTEGER NOT NULL,
  body              BLOB                  -- null if it is in large_bodies
) STRICT;
CREATE INDEX finished_events ON events (bot_id, state, finished_at_ms) WHERE finished_at_ms IS NOT NULL;

-- Every change of state rewrites the event's row. Large bodies have a separate table, so that they are written once.
CREATE TABLE large_bodies (
  number            INTEGER PRIMARY KEY,
  body              BLOB NOT NULL
) STRICT;

-- Table that the health check writes to.
CREATE TABLE probe (
  only_row          INTEGER PRIMARY KEY CHECK (only_row = 1),
  probes            INTEGER NOT NULL
) STRICT;
