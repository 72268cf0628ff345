#!/bin/sh
# Makes a certificate for a receiver on this machine: certificate.pem and key.pem, in the current folder. Vigie trusts it if the
# setting delivery.extra_ca_file names it.
set -eu
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
  -addext subjectAltName=IP:127.0.0.1,DNS:localhost -addext basicConstraints=critical,CA:FALSE \
  -keyout key.pem -out certificate.pem 2>/dev/null
