-- Strict order of flows, and the delivery log for bot owners. A delivery without failures writes no further row: the
-- successful attempt is derived from the event's row.

ALTER TABLE events ADD COLUMN ordered INTEGER NOT NULL DEFAULT 0;      -- 1: its flow has strict order
ALTER TABLE events ADD COLUMN began_at_ms INTEGER;                     -- when the latest attempt began
ALTER TABLE events ADD COLUMN error_bytes INTEGER NOT NULL DEFAULT 0;  -- estimated size of its failed_attempts
ALTER TABLE events ADD COLUMN replayed_as INTEGER;                     -- number of the latest replay
ALTER TABLE events DROP COLUMN last_error;

CREATE TABLE failed_attempts (
  number            INTEGER NOT NULL,     -- number of the event
  lease             INTEGER NOT NULL,     -- position among the event's leases
  attempt           INTEGER NOT NULL,
  began_at_ms       INTEGER NOT NULL,
  ended_at_ms       INTEGER NOT NULL,
  error             TEXT,
  PRIMARY KEY (number, lease)
) STRICT, WITHOUT ROWID;

-- Each entry ends with the event's number, so a flow's events are read in order, page by page.
DROP INDEX finished_events;
CREATE INDEX finished_events ON events (bot_id, state, flow_id) WHERE finished_at_ms IS NOT NULL;

-- Counts per hour, collected in memory and added here once a minute, so that events don't have to be counted.
CREATE TABLE hourly_counts (
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,
  hour              INTEGER NOT NULL,     -- hours since the epoch
  accepted          INTEGER NOT NULL,
  delivered         INTEGER NOT NULL,
  failed            INTEGER NOT NULL,     -- attempts, not events
  dead              INTEGER NOT NULL,
  PRIMARY KEY (bot_id, flow_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX hourly_counts_by_hour ON hourly_counts (hour);
