-- Identifies the secret key that the data was created with. The one row holds a value derived from that key, which does
-- not reveal the key. Null accepts any key at the next start.
CREATE TABLE secret_key_check (
  id                INTEGER PRIMARY KEY CHECK (id = 1),
  check_value       BLOB
) STRICT;
