#!/bin/sh
# The standby's entry: copies the primary where there is nothing yet, then runs as the image does.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  export PGPASSWORD="$REPLICATION_PASSWORD"
  # -R writes standby.signal and how the primary is reached; the name there is what it counts as synchronous.
  until gosu postgres pg_basebackup -D "$PGDATA" -R -S "$STANDBY_NAME" -X stream \
    -d "host=$PRIMARY_HOST user=replicator application_name=$STANDBY_NAME"; do
    echo 'the primary can not be copied yet; trying again'
    find "$PGDATA" -mindepth 1 -delete
    sleep 2
  done
  unset PGPASSWORD
fi

exec docker-entrypoint.sh "$@"
