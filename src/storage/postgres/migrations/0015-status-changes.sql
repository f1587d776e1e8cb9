-- When a bot went online or offline, or its hosting was turned off. The number of rows per bot is limited. Rows are
-- kept as long as those of `status_days`.
CREATE TABLE status_changes (
  bot_id            text COLLATE "C" NOT NULL REFERENCES bots (id),
  at_ms             bigint NOT NULL,
  state             text COLLATE "C" NOT NULL,        -- online, offline or hosting-off
  PRIMARY KEY (bot_id, at_ms)
);
CREATE INDEX status_changes_by_time ON status_changes (at_ms);
