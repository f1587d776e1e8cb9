-- By what webhooks are known again, of flows that ask for it. A row is written with its event, in one transaction.
CREATE TABLE marks (
  bot_id            TEXT NOT NULL,
  digest            BLOB NOT NULL,
  until_ms          INTEGER NOT NULL,
  PRIMARY KEY (bot_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX marks_by_end ON marks (until_ms);
