-- Refused webhooks, shown to the bot's owner. Similar refusals share a row. The number of rows per flow is limited.
CREATE TABLE refused_webhooks (
  number            INTEGER PRIMARY KEY,
  bot_id            TEXT NOT NULL,
  flow_id           TEXT NOT NULL,        -- empty: the webhook matched no flow
  cause             TEXT NOT NULL,
  address           TEXT NOT NULL,
  path              TEXT,                 -- null if a flow listens on it
  count             INTEGER NOT NULL,
  first_at_ms       INTEGER NOT NULL,
  last_at_ms        INTEGER NOT NULL
) STRICT;
CREATE INDEX refused_webhooks_of_bot ON refused_webhooks (bot_id, flow_id, number);
CREATE INDEX refused_webhooks_by_time ON refused_webhooks (last_at_ms);
