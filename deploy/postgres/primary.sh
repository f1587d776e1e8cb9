#!/bin/sh
# The PostgreSQL image runs this once, when it creates the primary's data directory.
set -eu

psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE replicator WITH REPLICATION LOGIN PASSWORD :'password';
SELECT pg_create_physical_replication_slot('postgres_b');
-- From the next start on, a commit waits until the standby has it on disk. Not set on the command line, because this
-- script would then wait for a standby that does not exist yet.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (postgres_b)';
SQL

echo 'host replication replicator samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
