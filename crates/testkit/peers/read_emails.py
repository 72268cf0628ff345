"""Parses e-mails with the standard library, as a mail program does. Reads a path per line and prints a JSON object for each."""

import email
import email.policy
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    """Lists the elements of a page with their attributes, and its text."""

    def __init__(self):
        super().__init__()
        self.elements = []
        self.text = []

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, attributes])

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        self.elements.append(["!--", [["text", data]]])

    def handle_pi(self, data):
        self.elements.append(["?", [["text", data]]])


for line in sys.stdin:
    with open(line.strip(), "rb") as file:
        raw = file.read()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    # Every line of an e-mail ends with CR LF; a bare CR or LF is an injection.
    text, markup = (
        message.get_body(preferencelist=(kind,)).get_content().replace("\r\n", "\n") for kind in ("plain", "html")
    )
    page = Page()
    page.feed(markup)
    page.close()
    parts = list(message.walk())
    print(json.dumps({
        "headers": [[name, str(value)] for name, value in message.items()],
        "types": [part.get_content_type() for part in parts],
        "defects": [repr(defect) for part in parts for defect in part.defects],
        "longest_line": max(len(line) for line in raw.split(b"\r\n")),
        "bare_line_ends": raw.count(b"\n") - raw.count(b"\r\n") + raw.count(b"\r") - raw.count(b"\r\n"),
        "text": text,
        "elements": page.elements,
        "html_text": "".join(page.text),
    }))
