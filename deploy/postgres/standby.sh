#!/bin/sh
# The standby's entry: copies the primary where there is nothing yet, then runs as the image does.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Copied beside, so that a copy that was broken off is never taken for a whole one.
  rm -rf "$PGDATA" "$PGDATA.copy"
  install -d -o postgres -g postgres -m 0700 "$PGDATA.copy"
  export PGPASSWORD="$REPLICATION_PASSWORD"
  # -R writes standby.signal and how the primary is reached; the name there is what it counts as synchronous.
  until gosu postgres pg_basebackup -D "$PGDATA.copy" -c fast -R -S "$STANDBY_NAME" -X stream \
    -d "host=$PRIMARY_HOST user=replicator application_name=$STANDBY_NAME"; do
    echo 'the primary can not be copied yet; trying again'
    find "$PGDATA.copy" -mindepth 1 -delete
    sleep 2
  done
  unset PGPASSWORD
  # What the primary waits for is this very standby: once promoted it would wait for itself, at every commit.
  gosu postgres sed -i '/^synchronous_standby_names/d' "$PGDATA.copy/postgresql.auto.conf"
  mv "$PGDATA.copy" "$PGDATA"
fi

exec docker-entrypoint.sh "$@"
