-- The current secrets of an application: the client secret and, if its owner added one, a second. The portal has none.
CREATE TABLE client_secrets_numbered (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: a late record of use must not apply to another secret
  application_id    TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  label             TEXT,                               -- null: created by registration or rotation
  digest            BLOB NOT NULL,
  last_four         TEXT NOT NULL,
  created_at_ms     INTEGER NOT NULL,
  last_used_at_ms   INTEGER
) STRICT;
INSERT INTO client_secrets_numbered (application_id, digest, last_four, created_at_ms)
  SELECT application_id, digest, last_four, created_at_ms FROM client_secrets;
DROP TABLE client_secrets;
ALTER TABLE client_secrets_numbered RENAME TO client_secrets;
-- Index that covers all columns that authentication reads, so that authentication needs only one look-up.
CREATE INDEX client_secrets_of_application ON client_secrets (application_id, number, digest);
