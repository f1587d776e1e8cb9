-- Outgoing webhooks: URLs that receive events. Their events wait in the delivery queue.
CREATE TABLE subscriptions (
  id                          text COLLATE "C" PRIMARY KEY,
  owner_id                    text COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,  -- null: the platform
  url                         text COLLATE "C" NOT NULL,
  types                       text COLLATE "C" NOT NULL,        -- JSON
  disabled_because            text COLLATE "C",                 -- null: active
  sealed_secret               bytea NOT NULL,
  previous_sealed_secret      bytea,
  previous_secret_ends_at_ms  bigint,
  created_at_ms               bigint NOT NULL
);
CREATE INDEX subscriptions_of_owner ON subscriptions (owner_id);

-- The state of each bot that was last announced to subscriptions. No row: nothing was announced yet.
CREATE TABLE announced_states (
  bot_id                      text COLLATE "C" NOT NULL REFERENCES bots (id),
  subject                     text COLLATE "C" NOT NULL,        -- connection or queue
  state                       text COLLATE "C" NOT NULL,
  since_ms                    bigint NOT NULL,
  PRIMARY KEY (bot_id, subject)
);

-- The last audit event that was turned into outgoing events. No row: no subscription is active.
CREATE TABLE audit_reader (
  only_row                    integer PRIMARY KEY CHECK (only_row = 1),
  number                      bigint NOT NULL
);
