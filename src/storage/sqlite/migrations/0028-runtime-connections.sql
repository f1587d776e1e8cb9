-- The latest connection of each instance of a runtime. The number of rows per runtime is limited.
CREATE TABLE runtime_connections (
  runtime_id        TEXT NOT NULL REFERENCES runtimes (id) ON DELETE CASCADE,
  instance          TEXT NOT NULL,
  agent             TEXT NOT NULL,
  connected_at_ms   INTEGER NOT NULL,
  heard_at_ms       INTEGER NOT NULL,
  ended_at_ms       INTEGER,              -- null: open, or the node stopped without storing the end
  PRIMARY KEY (runtime_id, instance)
) STRICT, WITHOUT ROWID;
