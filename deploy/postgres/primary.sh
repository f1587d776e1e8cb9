#!/bin/sh
# Run once, by the image of PostgreSQL, when the primary's data directory is made.
set -eu

psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator WITH REPLICATION LOGIN PASSWORD :'password';
SELECT pg_create_physical_replication_slot('postgres_b');
-- From the next start on a commit is answered for once the standby has it on disk too. Not by an option of the command:
-- this very script would wait for a standby that can't be there yet.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (postgres_b)';
SQL

echo 'host replication replicator samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
