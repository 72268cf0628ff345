#!/bin/bash
# Runs once, when the database is created: lets the replica connect with the password.
set -euo pipefail
echo "host replication vigie all scram-sha-256" >> "$PGDATA/pg_hba.conf"
