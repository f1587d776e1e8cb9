-- Forms that were submitted after their session had ended, kept until the user signs in again.
CREATE TABLE kept_forms (
  id                TEXT PRIMARY KEY,
  user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed            BLOB NOT NULL,
  expires_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_forms_of_user ON kept_forms (user_id, expires_at_ms);
CREATE INDEX kept_forms_by_expiry ON kept_forms (expires_at_ms);

-- Where the browser continues after it returns from a provider: an authorization attempt or a page.
ALTER TABLE provider_visits RENAME COLUMN attempt_id TO onward;
UPDATE provider_visits SET onward = 'attempt=' || onward WHERE onward IS NOT NULL;
