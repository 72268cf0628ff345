"""Verifies signed messages with the published library. Reads JSON lines and prints `ok` or the error for each."""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    message = json.loads(line)
    headers = {
        "webhook-id": message["id"],
        "webhook-timestamp": message["timestamp"],
        "webhook-signature": message["signature"],
    }
    try:
        Webhook(message["secret"]).verify(message["body"], headers, json_parse=False)
        print("ok")
    except WebhookVerificationError as error:
        print(error)
