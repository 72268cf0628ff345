#!/usr/bin/env python3
"""The whole story of a client of Vigie: send adverts, search, save a search, receive its webhook. Needs only Python 3.8 or newer."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import queue
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

VIGIE = os.environ.get("API_URL", "http://127.0.0.1:8080")
KEY = os.environ["API_KEY"]
# The receiver: where Vigie reaches it, and the certificate for it.
PORT = int(os.environ.get("RECEIVER_PORT", "8443"))
CERTIFICATE = os.environ.get("RECEIVER_CERTIFICATE", "certificate.pem")
CERTIFICATE_KEY = os.environ.get("RECEIVER_KEY", "key.pem")
# An older message may be a replay of a recorded one.
TOLERANCE_SECONDS = 300


def call(method, path, body=None):
    """Sends a request and returns the body of the response. An error of the API ends the program with its description."""
    headers = {"X-API-KEY": KEY, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(VIGIE + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code} {json.load(error)['hydra:description']}")


def advert(reference, **fields):
    """An apartment for sale in Tours."""
    common = {"site": "mon-agence.example", "reference": reference, "transactionType": 0, "propertyType": 0,
              "zipcode": "37000", "cityName": "Tours"}
    return {**common, **fields}


def pages(path, parameters):
    """Yields every member of a collection, page by page."""
    path = f"{path}?{urllib.parse.urlencode(parameters)}"
    while path:
        page = call("GET", path)
        yield from page["hydra:member"]
        path = page.get("hydra:view", {}).get("hydra:next")


def is_genuine(secret, headers, body):
    """Returns whether Vigie sent this recently. The signature covers id, timestamp and the body exactly as received."""
    identity, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isascii() or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret[len("whsec_"):])
    digest = hmac.new(key, f"{identity}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # There are two signatures while the secret is rotated.
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").encode().split())


def receive(secret):
    """Starts a receiver of webhooks and returns the queue of genuine messages."""
    messages = queue.Queue()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            genuine = is_genuine(secret, self.headers, body)
            if genuine:
                messages.put(json.loads(body))
            self.send_response(200 if genuine else 401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE, CERTIFICATE_KEY)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return messages, f"https://127.0.0.1:{server.server_address[1]}/matches"


def main():
    run = f"{time.time_ns():x}"
    adverts = [advert(f"{run}-{number}", title=f"Appartement avec balcon, {number}e étage", floor=number,
                      price=180_000 + 5_000 * number, surface=50 + number, room=2) for number in range(1, 13)]
    receipts = call("POST", "/adverts", adverts)["hydra:member"]
    print("sent", len(receipts), "adverts:", ", ".join(sorted({receipt["outcome"] for receipt in receipts})))

    wanted = {"transactionType": 0, "budgetMax": 300_000, "includedCities[]": "/cities/37261", "expressions[]": "balcon",
              "order[price]": "asc", "itemsPerPage": 5}
    found = list(pages("/documents/properties", wanted))
    print("found", len(found), "properties, the cheapest for", found[0]["price"], "€")

    messages, endpoint = receive(call("GET", "/webhook-secret")["secret"])
    search = call("POST", "/searches", {
        "title": "Tours avec balcon", "transactionType": 0, "propertyTypes": [0], "budgetMax": 300_000,
        "includedCities": ["/cities/37261"], "expressions": ["balcon"],
        "notificationEnabled": True, "endpointRecipient": endpoint})
    print("saved the search", search["@id"])

    # Only properties that are new or changed from now on match.
    receipt = call("POST", "/adverts", advert(f"{run}-13", title="Deux pièces, balcon plein sud", price=175_000, surface=45, room=2))
    match = messages.get(timeout=60)
    assert match["search"] == search["@id"] and match["property"] == receipt["property"]
    print("received a match:", match["propertyDocument"]["title"])

    call("DELETE", search["@id"])
    for sent in [*receipts, receipt]:
        call("DELETE", sent["@id"])
    print("deleted the search and the adverts")


if __name__ == "__main__":
    main()
