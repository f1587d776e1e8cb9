#!/bin/sh
# Does what compose.yaml needs from the entry point of the official PostgreSQL image: creates the database at the first
# start, runs the scripts in /docker-entrypoint-initdb.d, and starts the server as the user postgres.
set -eu

if [ "$(id -u)" = 0 ]; then
  chown postgres: /var/lib/postgresql
  exec gosu postgres "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  password=$(mktemp)
  echo "$POSTGRES_PASSWORD" >"$password"
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$password" --auth-host=scram-sha-256
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -e "$script" ] || . "$script"
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" -c listen_addresses='*'
