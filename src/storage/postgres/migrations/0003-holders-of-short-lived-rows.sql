-- Holder of a short-lived row that strangers can create: a digest of the client address, the user or the application.
-- The number of rows per holder is limited. Null: created by a node of an earlier release.
ALTER TABLE authorization_attempts ADD COLUMN holder bytea;
CREATE INDEX authorization_attempts_of_holder ON authorization_attempts (holder, created_at_ms) WHERE holder IS NOT NULL;
ALTER TABLE passkey_challenges ADD COLUMN holder bytea;
CREATE INDEX passkey_challenges_of_holder ON passkey_challenges (holder, number) WHERE holder IS NOT NULL;
ALTER TABLE provider_visits ADD COLUMN holder bytea;
CREATE INDEX provider_visits_of_holder ON provider_visits (holder, expires_at_ms) WHERE holder IS NOT NULL;
