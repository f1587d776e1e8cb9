-- Scopes that a first-party application received without asking the user. Earlier releases stored implied scopes as
-- allowed ones, so all existing scopes of first-party applications become implied. At worst, a user is asked again.
ALTER TABLE consents ADD COLUMN implied_scopes text COLLATE "C" NOT NULL DEFAULT '';
UPDATE consents SET implied_scopes = scopes, scopes = ''
  WHERE application_id IN (SELECT id FROM applications WHERE first_party = 1);
