-- The account's session that a session of the portal came from, and ends with.
ALTER TABLE sessions ADD COLUMN account_session INTEGER REFERENCES sessions (number) ON DELETE CASCADE;
CREATE INDEX sessions_of_session ON sessions (account_session) WHERE account_session IS NOT NULL;
-- The session in which the user allowed it. Null: allowed in an earlier release.
ALTER TABLE token_families ADD COLUMN account_session INTEGER;

-- A session of the portal came from the latest one of the same browser. If that one has ended, so does the portal's.
UPDATE sessions SET account_session = (SELECT max(number) FROM sessions AS account
  WHERE surface = 'identity' AND account.user_id = sessions.user_id AND account.created_at_ms <= sessions.created_at_ms
    AND account.user_agent IS NOT DISTINCT FROM sessions.user_agent)
  WHERE surface = 'portal';
DELETE FROM sessions WHERE surface = 'portal' AND account_session IS NULL;
