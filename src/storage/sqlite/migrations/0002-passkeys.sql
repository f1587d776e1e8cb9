-- Public keys that people sign in with (WebAuthn). A credential id belongs to one passkey of one user.
CREATE TABLE passkeys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: an old address must not name a new passkey
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id     TEXT NOT NULL UNIQUE,               -- base64url
  public_key        BLOB NOT NULL,                      -- COSE key
  counter           INTEGER NOT NULL,
  transports        TEXT NOT NULL,
  backup_eligible   INTEGER NOT NULL,
  backed_up         INTEGER NOT NULL,
  name              TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER
) STRICT;
CREATE INDEX passkeys_of_user ON passkeys (user_id, number);

-- What a browser was asked to sign with a passkey, until it answers. All live equally long, so the numbers
-- are in the order in which they run out.
CREATE TABLE passkey_challenges (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  challenge         TEXT NOT NULL UNIQUE,               -- base64url
  purpose           TEXT NOT NULL CHECK (purpose IN ('registration', 'sign-in', 'proof')),
  browser           BLOB NOT NULL,                      -- digest of what tells browsers apart
  user_id           TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: nobody is signed in yet
  expires_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_of_browser ON passkey_challenges (browser, number);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id);
