-- Marks by which duplicate webhooks are recognized, for flows with deduplication. Written in the event's transaction.
CREATE TABLE marks (
  bot_id            TEXT NOT NULL,
  digest            BLOB NOT NULL,
  until_ms          INTEGER NOT NULL,
  PRIMARY KEY (bot_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX marks_by_end ON marks (until_ms);
