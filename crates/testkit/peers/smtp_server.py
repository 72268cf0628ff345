"""A mail server on loopback whose behaviour depends on the recipient's name.

Takes its settings as JSON in the first argument. Prints its port, then a JSON line for each received e-mail before it replies.
It exits at the end of its standard input, so that it never outlives the test.

The local part may be `rcpt-451` or `data-550` (reply with this code at that stage), `rcpt-hang` or `data-hang` (never reply),
`data-drop` (disconnect instead of replying) or `close` (reply, then disconnect).
"""

import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

settings = json.loads(sys.argv[1])


class Server(SMTP):
    closing = False

    async def push(self, status):
        await super().push(status)
        if self.closing:
            self.transport.close()


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        rejection = await requested_reply(server, "rcpt", address)
        if rejection is not None:
            return rejection
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "bytes": base64.b64encode(envelope.content).decode(),
            "encrypted": session.ssl is not None or settings["security"] == "tls",
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "peer": session.peer[1],
        }
        print(json.dumps(message), flush=True)
        rejection = await requested_reply(server, "data", envelope.rcpt_tos[0])
        server.closing = envelope.rcpt_tos[0].startswith("close@")
        return rejection or "250 2.0.0 queued as 4711"


async def requested_reply(server, stage, address):
    name = address.partition("@")[0]
    if not name.startswith(f"{stage}-"):
        return None
    action = name.removeprefix(f"{stage}-")
    if action == "hang":
        await asyncio.Event().wait()
    if action == "drop":
        server.transport.abort()
        return "250 never sent"
    return f"{action} as requested"


def authenticate(server, session, envelope, mechanism, data):
    login = settings["login"]
    good = data.login.decode() == login["user"] and data.password.decode() == login["password"]
    return AuthResult(success=good, handled=False, auth_data=data)


async def main():
    context = None
    if settings["security"] != "none":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(settings["certificate"], settings["key"])
    login = settings["login"]

    def server():
        return Server(
            Handler(),
            hostname="mail.exemple.fr",
            enable_SMTPUTF8=settings["utf8"],
            tls_context=context if settings["security"] == "starttls" else None,
            require_starttls=settings["security"] == "starttls",
            authenticator=authenticate if login else None,
            auth_required=login is not None,
            auth_require_tls=settings["security"] == "starttls",
            auth_exclude_mechanism=settings["without"],
        )

    loop = asyncio.get_running_loop()
    implicit = context if settings["security"] == "tls" else None
    listener = await loop.create_server(server, "127.0.0.1", 0, ssl=implicit)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


try:
    asyncio.run(main())
except BrokenPipeError:
    pass
