-- The latest connection of each instance of a runtime. Bounded per runtime.
CREATE TABLE runtime_connections (
  runtime_id        text COLLATE "C" NOT NULL REFERENCES runtimes (id) ON DELETE CASCADE,
  instance          text COLLATE "C" NOT NULL,
  agent             text COLLATE "C" NOT NULL,
  connected_at_ms   bigint NOT NULL,
  heard_at_ms       bigint NOT NULL,
  ended_at_ms       bigint,               -- null: open, or its node died
  PRIMARY KEY (runtime_id, instance)
);
