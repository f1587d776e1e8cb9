-- The signing secret that was replaced last, and when it expires. Null: none was replaced.
ALTER TABLE flows ADD COLUMN previous_signing_secret bytea;  -- encrypted
ALTER TABLE flows ADD COLUMN previous_secret_ends_at_ms bigint;
