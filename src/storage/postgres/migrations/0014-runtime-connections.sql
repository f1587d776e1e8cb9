-- The latest connection of each instance of a runtime. The number of rows per runtime is limited.
CREATE TABLE runtime_connections (
  runtime_id        text COLLATE "C" NOT NULL REFERENCES runtimes (id) ON DELETE CASCADE,
  instance          text COLLATE "C" NOT NULL,
  agent             text COLLATE "C" NOT NULL,
  connected_at_ms   bigint NOT NULL,
  heard_at_ms       bigint NOT NULL,
  ended_at_ms       bigint,               -- null: open, or the node stopped without storing the end
  PRIMARY KEY (runtime_id, instance)
);
