-- Every accepted event, from acceptance to the end of its retention: queue, delivery log, replay and dead letters are
-- its states. Which events are ready, and whose turn is next, is held in memory and read from here at the start:
-- accepting then writes one row and no index. Times are milliseconds since the epoch (…_at_ms).

CREATE TABLE events (
  number            INTEGER PRIMARY KEY,  -- time of acceptance and a counter; grows, and is never used twice
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,
  path              TEXT NOT NULL,
  -- Written as a chain: for IN, SQLite would build its set of words anew at every insert, at half the insert's cost.
  state             TEXT NOT NULL CHECK (state = 'ready' OR state = 'leased' OR state = 'done' OR state = 'dead'),
  attempts          INTEGER NOT NULL,     -- begun, without those given back
  leases            INTEGER NOT NULL,     -- begun, with those given back: tells attempts apart
  due_at_ms         INTEGER NOT NULL,
  holder            TEXT,                 -- of the lease
  accepted_at_ms    INTEGER NOT NULL,
  finished_at_ms    INTEGER,              -- done or dead
  last_error        TEXT,
  dead_because      TEXT,
  replay_of         INTEGER,
  client_ip         TEXT NOT NULL,
  content_type      TEXT,
  user_agent        TEXT,
  forwarded_for     TEXT,
  request_id        TEXT,
  body_bytes        INTEGER NOT NULL,
  body              BLOB                  -- null when it lies in large_bodies
) STRICT;
CREATE INDEX finished_events ON events (bot_id, state, finished_at_ms) WHERE finished_at_ms IS NOT NULL;

-- A change of state rewrites its row; large bodies lie apart so that they are written once.
CREATE TABLE large_bodies (
  number            INTEGER PRIMARY KEY,
  body              BLOB NOT NULL
) STRICT;

-- What the health check writes.
CREATE TABLE probe (
  only_row          INTEGER PRIMARY KEY CHECK (only_row = 1),
  probes            INTEGER NOT NULL
) STRICT;
