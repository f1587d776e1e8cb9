-- The delivery queue. Every primary key starts with the bot, so that all tables can be distributed by bot. An event is
-- a row of queue_events until it is finished, then of queue_done or queue_dead. Times are milliseconds since the epoch
-- (…_at_ms). An event's number is its acceptance time times 2048, plus a counter. It grows with each event of a bot.

CREATE TABLE queue_events (
  bot_id            text COLLATE "C" NOT NULL,
  number            bigint NOT NULL,
  flow_id           text COLLATE "C" NOT NULL,
  path              text COLLATE "C" NOT NULL,
  state             text COLLATE "C" NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased')),
  ordered           boolean NOT NULL,               -- waits for earlier ordered events of its flow
  attempts          integer NOT NULL DEFAULT 0,     -- without released ones
  leases            integer NOT NULL DEFAULT 0,     -- with released ones; identifies the attempt
  accepted_at_ms    bigint NOT NULL,
  due_at_ms         bigint NOT NULL,
  began_at_ms       bigint,                         -- start of the latest attempt
  holder            text COLLATE "C",               -- holder of the lease
  node_id           text COLLATE "C",               -- node through which the lease is held
  until_ms          bigint,                         -- when the lease expires
  replay_of         bigint,
  replayed_as       bigint,                         -- number of the latest replay
  client_ip         text COLLATE "C" NOT NULL,
  content_type      text COLLATE "C",
  user_agent        text COLLATE "C",
  forwarded_for     text COLLATE "C",
  request_id        text COLLATE "C",
  failures          text COLLATE "C",               -- failed attempts, as JSON
  body_bytes        integer NOT NULL,
  body              bytea NOT NULL,
  PRIMARY KEY (bot_id, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Not compressed, because bodies often are already. Out of line, so that a change of state does not rewrite a large body.
ALTER TABLE queue_events ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX queue_first_attempts ON queue_events (bot_id, number)
  WHERE state = 'ready' AND attempts = 0 AND NOT ordered;
CREATE INDEX queue_retries ON queue_events (bot_id, due_at_ms) WHERE state = 'ready' AND attempts > 0;
CREATE INDEX queue_retries_by_time ON queue_events (due_at_ms) WHERE state = 'ready' AND attempts > 0;
CREATE INDEX queue_lines ON queue_events (bot_id, flow_id, number) WHERE ordered;
CREATE INDEX queue_leases_of_holder ON queue_events (holder) WHERE state = 'leased';
CREATE INDEX queue_leases_by_end ON queue_events (until_ms) WHERE state = 'leased';
CREATE INDEX queue_waiting_by_age ON queue_events (accepted_at_ms) WHERE state = 'ready';

-- Finished events, in one partition per day of acceptance. Retention drops whole partitions.
CREATE TABLE queue_done (
  bot_id            text COLLATE "C" NOT NULL,
  number            bigint NOT NULL,
  flow_id           text COLLATE "C" NOT NULL,
  path              text COLLATE "C" NOT NULL,
  ordered           boolean NOT NULL,
  attempts          integer NOT NULL,
  accepted_at_ms    bigint NOT NULL,
  began_at_ms       bigint,
  finished_at_ms    bigint NOT NULL,
  dead_because      text COLLATE "C",
  replay_of         bigint,
  replayed_as       bigint,
  client_ip         text COLLATE "C" NOT NULL,
  content_type      text COLLATE "C",
  user_agent        text COLLATE "C",
  forwarded_for     text COLLATE "C",
  request_id        text COLLATE "C",
  failures          text COLLATE "C",
  body_bytes        integer NOT NULL,
  kept_bytes        integer NOT NULL,               -- size of the parts that senders and runtimes control
  body              bytea NOT NULL,
  PRIMARY KEY (bot_id, number)
) PARTITION BY RANGE (number);
ALTER TABLE queue_done ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE queue_dead (LIKE queue_done INCLUDING ALL) PARTITION BY RANGE (number);

-- Lower bound of the numbers within retention. Older rows are hidden until their partition is dropped.
CREATE TABLE queue_shown (
  kept              text COLLATE "C" PRIMARY KEY,   -- done or dead
  from_number       bigint NOT NULL
);

-- Events and body bytes that ever entered and ever left the queue. The difference is what is in it. Two tables, so that
-- acceptances and acknowledgements of a bot don't wait for each other. Acceptances of a bot, on all nodes, lock its row in
-- queue_entered.
CREATE TABLE queue_entered (
  bot_id            text COLLATE "C" PRIMARY KEY,
  last_number       bigint NOT NULL DEFAULT 0,
  events            bigint NOT NULL DEFAULT 0,
  bytes             bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE queue_left (
  bot_id            text COLLATE "C" PRIMARY KEY,
  events            bigint NOT NULL DEFAULT 0,
  bytes             bigint NOT NULL DEFAULT 0,
  done_events       bigint NOT NULL DEFAULT 0,      -- kept now
  done_bytes        bigint NOT NULL DEFAULT 0,
  dead_events       bigint NOT NULL DEFAULT 0,
  dead_bytes        bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Marks for deduplication, of flows that use it.
CREATE TABLE queue_marks (
  bot_id            text COLLATE "C" NOT NULL,
  digest            bytea NOT NULL,
  since_ms          bigint NOT NULL,
  until_ms          bigint NOT NULL,
  PRIMARY KEY (bot_id, digest)
);
CREATE INDEX queue_marks_by_end ON queue_marks (until_ms);

-- Hourly counts, collected in the nodes' memory and added here once a minute.
CREATE TABLE queue_hourly_counts (
  bot_id            text COLLATE "C" NOT NULL,
  flow_id           text COLLATE "C" NOT NULL,
  hour              bigint NOT NULL,                -- since the epoch
  accepted          bigint NOT NULL,
  delivered         bigint NOT NULL,
  failed            bigint NOT NULL,                -- attempts
  dead              bigint NOT NULL,
  PRIMARY KEY (bot_id, flow_id, hour)
);
CREATE INDEX queue_hourly_counts_by_hour ON queue_hourly_counts (hour);

-- Heartbeats of nodes, in the database's time, and the row that each node's health check writes.
CREATE TABLE queue_nodes (
  node_id           text COLLATE "C" PRIMARY KEY,
  seen_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  probes            bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
