-- The delivery queue. Every table begins its key with the bot, so that all of them can be distributed by bot. An event is a
-- row of queue_events until it is finished, then one of queue_done or queue_dead. Times are milliseconds since the epoch
-- (…_at_ms); an event's number is its time of acceptance times 2048 and a counter, and grows with each event of a bot.

CREATE TABLE queue_events (
  bot_id            text COLLATE "C" NOT NULL,
  number            bigint NOT NULL,
  flow_id           text COLLATE "C" NOT NULL,
  path              text COLLATE "C" NOT NULL,
  state             text COLLATE "C" NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased')),
  ordered           boolean NOT NULL,               -- waits for earlier ordered events of its flow
  attempts          integer NOT NULL DEFAULT 0,     -- begun, without those given back
  leases            integer NOT NULL DEFAULT 0,     -- begun, with those given back: tells attempts apart
  accepted_at_ms    bigint NOT NULL,
  due_at_ms         bigint NOT NULL,
  began_at_ms       bigint,                         -- of the latest attempt
  holder            text COLLATE "C",               -- of the lease
  node_id           text COLLATE "C",               -- through which it is held
  until_ms          bigint,                         -- the lease's end
  replay_of         bigint,
  replayed_as       bigint,                         -- its latest replay
  client_ip         text COLLATE "C" NOT NULL,
  content_type      text COLLATE "C",
  user_agent        text COLLATE "C",
  forwarded_for     text COLLATE "C",
  request_id        text COLLATE "C",
  failures          text COLLATE "C",               -- the failed attempts, as JSON
  body_bytes        integer NOT NULL,
  body              bytea NOT NULL,
  PRIMARY KEY (bot_id, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Bodies are often compressed already, and a change of state never writes a large one again.
ALTER TABLE queue_events ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX queue_first_attempts ON queue_events (bot_id, number)
  WHERE state = 'ready' AND attempts = 0 AND NOT ordered;
CREATE INDEX queue_retries ON queue_events (bot_id, due_at_ms) WHERE state = 'ready' AND attempts > 0;
CREATE INDEX queue_retries_by_time ON queue_events (due_at_ms) WHERE state = 'ready' AND attempts > 0;
CREATE INDEX queue_lines ON queue_events (bot_id, flow_id, number) WHERE ordered;
CREATE INDEX queue_leases_of_holder ON queue_events (holder) WHERE state = 'leased';
CREATE INDEX queue_leases_by_end ON queue_events (until_ms) WHERE state = 'leased';
CREATE INDEX queue_waiting_by_age ON queue_events (accepted_at_ms) WHERE state = 'ready';

-- What is finished, in a partition for each day of acceptance, which retention drops as a whole.
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
  kept_bytes        integer NOT NULL,               -- what keeping it takes, as far as senders and runtimes have a say in it
  body              bytea NOT NULL,
  PRIMARY KEY (bot_id, number)
) PARTITION BY RANGE (number);
ALTER TABLE queue_done ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE queue_dead (LIKE queue_done INCLUDING ALL) PARTITION BY RANGE (number);

-- Which of them are past their retention, and not shown any more until their day is dropped.
CREATE TABLE queue_shown (
  kept              text COLLATE "C" PRIMARY KEY,   -- done or dead
  from_number       bigint NOT NULL
);

-- How many events, and bytes of bodies, ever entered and ever left: what waits is the difference. Two tables, so that
-- acceptances and acknowledgements of a bot don't wait for each other. The first is what acceptances of a bot at all nodes take turns by.
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

-- By what webhooks are known again, of flows that ask for it.
CREATE TABLE queue_marks (
  bot_id            text COLLATE "C" NOT NULL,
  digest            bytea NOT NULL,
  since_ms          bigint NOT NULL,
  until_ms          bigint NOT NULL,
  PRIMARY KEY (bot_id, digest)
);
CREATE INDEX queue_marks_by_end ON queue_marks (until_ms);

-- What happened in each hour, gathered in the nodes' memory and added here once a minute.
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

-- Which nodes are alive, in the database's own time, and what the health check of each writes.
CREATE TABLE queue_nodes (
  node_id           text COLLATE "C" PRIMARY KEY,
  seen_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  probes            bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
