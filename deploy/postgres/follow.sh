#!/bin/bash
# Copies the primary once, and follows it from then on.
set -euo pipefail
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
    rm -rf "${data:?}"/*
    # A slot keeps what the replica has not received, also while it is down.
    pg_basebackup --pgdata "$data" --host primary --username vigie --write-recovery-conf --checkpoint=fast \
        --create-slot --slot replica
    chown -R postgres:postgres "$data"
    chmod 0700 "$data"
fi
exec gosu postgres postgres -D "$data" -c shared_buffers=512MB -c max_connections=200
