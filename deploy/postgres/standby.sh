#!/bin/sh
# Entry point of the standby. Copies the primary if there is no data yet, then starts PostgreSQL as the image does.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Copy to a separate directory, so that an interrupted copy is never mistaken for a complete one.
  rm -rf "$PGDATA" "$PGDATA.copy"
  install -d -o postgres -g postgres -m 0700 "$PGDATA.copy"
  export PGPASSWORD="$REPLICATION_PASSWORD"
  # -R writes standby.signal and the connection settings. The primary treats this application_name as synchronous.
  until gosu postgres pg_basebackup -D "$PGDATA.copy" -c fast -R -S "$STANDBY_NAME" -X stream \
    -d "host=$PRIMARY_HOST user=replicator application_name=$STANDBY_NAME"; do
    echo 'primary not ready to be copied, retrying'
    find "$PGDATA.copy" -mindepth 1 -delete
    sleep 2
  done
  unset PGPASSWORD
  # The copied synchronous_standby_names contains this standby. After a promotion, every commit would wait for a standby
  # of that name.
  gosu postgres sed -i '/^synchronous_standby_names/d' "$PGDATA.copy/postgresql.auto.conf"
  mv "$PGDATA.copy" "$PGDATA"
fi

exec docker-entrypoint.sh "$@"
