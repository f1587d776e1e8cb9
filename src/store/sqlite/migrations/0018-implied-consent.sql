-- Scopes that a first-party application received without asking. Earlier versions stored them as allowed; since nothing tells
-- them apart, all that first-party applications hold now counts as implied. At worst a user is asked once more.
ALTER TABLE consents ADD COLUMN implied_scopes TEXT NOT NULL DEFAULT '';
UPDATE consents SET implied_scopes = scopes, scopes = ''
  WHERE application_id IN (SELECT id FROM applications WHERE first_party = 1);
