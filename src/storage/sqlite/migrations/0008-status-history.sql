-- Slots of five minutes, and UTC days, both numbered from the epoch. A row covers the units from `from_unit` up to but
-- excluding `until_unit`, and its figures apply to each of them. Adjacent complete units with equal figures share a
-- row.
CREATE TABLE status_slots (
  bot_id            TEXT NOT NULL,
  from_unit         INTEGER NOT NULL,
  until_unit        INTEGER NOT NULL,
  up_ms             INTEGER NOT NULL,
  down_ms           INTEGER NOT NULL,
  hosting_off_ms    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
) STRICT, WITHOUT ROWID;

CREATE TABLE status_days (
  bot_id            TEXT NOT NULL,
  from_unit         INTEGER NOT NULL,
  until_unit        INTEGER NOT NULL,
  up_ms             INTEGER NOT NULL,
  down_ms           INTEGER NOT NULL,
  hosting_off_ms    INTEGER NOT NULL,
  PRIMARY KEY (bot_id, from_unit)
) STRICT, WITHOUT ROWID;
CREATE INDEX status_days_by_end ON status_days (until_unit);

CREATE TABLE status_notices (
  bot_id            TEXT PRIMARY KEY REFERENCES bots (id),
  notice            TEXT NOT NULL,
  set_at_ms         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
