-- Invitations to work on a bot. A row is deleted when the bot's owner confirms the accepter, when either side ends the
-- invitation, or after it expires.
CREATE TABLE invitations (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: a page open in a browser must not act on another one
  bot_id            TEXT NOT NULL REFERENCES bots (id),
  label             TEXT NOT NULL,        -- the owner's note about the invited person
  role              TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
  capabilities      TEXT NOT NULL,
  digest            BLOB NOT NULL UNIQUE,
  expires_at_ms     INTEGER NOT NULL,
  accepted_by       TEXT REFERENCES users (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX invitations_of_bot ON invitations (bot_id);
CREATE INDEX invitations_of_user ON invitations (accepted_by) WHERE accepted_by IS NOT NULL;
CREATE INDEX invitations_by_expiry ON invitations (expires_at_ms);
