#!/usr/bin/env python3
"""Receives webhooks from Vigie: verifies the signature, drops duplicates, answers at once. Needs only Python 3.8 or newer."""

import argparse
import base64
import hashlib
import hmac
import http.server
import os
import sqlite3
import ssl
import time

# The maximum difference between Vigie's clock and ours. An older message may be a replay of a recorded one.
TOLERANCE_SECONDS = 300
# Messages about a property with many long adverts have several megabytes.
BODY_BYTES_MAX = 32 * 1024 * 1024


def keys(text):
    """Returns the keys in the environment variable: one, or two separated by a space during a rotation."""
    return [base64.b64decode(secret[len("whsec_"):], validate=True) for secret in text.split()]


def is_genuine(secrets, headers, body, now):
    """Returns whether Vigie sent this recently. The signature covers id, timestamp and raw body: verify before parsing."""
    identity, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not identity or not timestamp.isascii() or not timestamp.isdigit() or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{identity}.{timestamp}.".encode() + body
    given = headers.get("webhook-signature", "").encode().split(b" ")
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in secrets]
    return any([hmac.compare_digest(one, other) for one in expected for other in given])


def store(database, identity, body):
    """Stores a message unless it is a duplicate, and returns whether it is new. It is on disk when this returns."""
    connection = sqlite3.connect(database, timeout=10)
    try:
        with connection:
            row = (identity, int(time.time()), body)
            return connection.execute("INSERT OR IGNORE INTO message VALUES (?, ?, ?)", row).rowcount == 1
    finally:
        connection.close()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Vigie reuses connections.
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.server.secrets, self.headers, body, time.time()):
            return self.answer(401)
        identity = self.headers["webhook-id"]
        new = store(self.server.database, identity, body)
        # Answer first and work later: process messages from the database.
        self.answer(200)
        print("new" if new else "repeat", identity, flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--host", default="127.0.0.1")
    arguments.add_argument("--port", type=int, default=8443)
    arguments.add_argument("--database", default="received.sqlite3")
    arguments.add_argument("--certificate", help="PEM file with the whole chain; without it, run behind a TLS proxy")
    arguments.add_argument("--key", help="PEM file with the private key")
    given = arguments.parse_args()
    server = http.server.ThreadingHTTPServer((given.host, given.port), Receiver)
    server.secrets = keys(os.environ["VIGIE_WEBHOOK_SECRET"])
    server.database = given.database
    with sqlite3.connect(given.database) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, received_at INTEGER, body BLOB)")
    if given.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(given.certificate, given.key)
        # Each connection does its TLS handshake in its own thread, so that a slow one does not delay the others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print("listening on", server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
