-- Forms that were sent after their session had ended, until their person is signed in again.
CREATE TABLE kept_forms (
  id                TEXT PRIMARY KEY,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed            BLOB NOT NULL,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_forms_of_user ON kept_forms (user_id, expires_at_ms);
CREATE INDEX kept_forms_by_expiry ON kept_forms (expires_at_ms);

-- Where a browser that was sent to a provider goes on: with an attempt, or back to a page.
ALTER TABLE provider_visits RENAME COLUMN attempt_id TO onward;
UPDATE provider_visits SET onward = 'attempt=' || onward WHERE onward IS NOT NULL;
