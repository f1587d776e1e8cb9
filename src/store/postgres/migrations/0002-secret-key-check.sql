-- Which secret key the data is made with: one row with a value derived from that key, which does not reveal it.
-- Null accepts any key at the next start.
CREATE TABLE secret_key_check (
  id                integer PRIMARY KEY CHECK (id = 1),
  check_value       bytea
);
