-- Public keys that users sign in with (WebAuthn). A credential ID belongs to one passkey of one user.
CREATE TABLE passkeys (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: an old URL must not match a new passkey
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

-- Challenges that a browser must sign with a passkey. All have the same lifetime, so they expire in the order of their
-- numbers.
CREATE TABLE passkey_challenges (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  challenge         TEXT NOT NULL UNIQUE,               -- base64url
  purpose           TEXT NOT NULL CHECK (purpose IN ('registration', 'sign-in', 'proof')),
  browser           BLOB NOT NULL,                      -- digest that identifies the browser
  user_id           TEXT REFERENCES users (id) ON DELETE CASCADE,  -- null: no user is signed in yet
  expires_at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_of_browser ON passkey_challenges (browser, number);
CREATE INDEX passkey_challenges_of_user ON passkey_challenges (user_id);
