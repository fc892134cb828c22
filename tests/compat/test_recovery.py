"""A lost password, with a mail server that others wrote (aiosmtpd): from the registration to a
new password.
"""

import email.policy
import queue
import re
import socket
from email.parser import BytesParser

import pytest
import requests
from aiosmtpd.controller import Controller

from conftest import PASSWORD, Server

NEW_PASSWORD = "another rope at seven"


class Mailbox:
    """Keeps every mail that the mail server accepts."""

    def __init__(self):
        self._mails = queue.Queue()

    async def handle_DATA(self, _server, _session, envelope):
        self._mails.put(BytesParser(policy=email.policy.default).parsebytes(envelope.content))
        return "250 2.0.0 queued"

    def receives(self, page):
        """The next mail with a link to this page, and the last part of the link."""
        while True:
            mail = self._mails.get(timeout=120)
            text = mail.get_body(("plain",)).get_content()
            found = re.search(rf"/#/{page}/(\S+)", text)
            if found:
                return mail, found[1]


@pytest.fixture
def mailbox():
    return Mailbox()


@pytest.fixture
def mailing_server(tmp_path, mailbox):
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    url = f"smtp://127.0.0.1:{port}"
    server = Server(tmp_path, "--smtp-url", url, "--mail-from", "Coterie <chat@example.org>")
    yield server
    server.ends()
    controller.stop()


def _posts(server, path, body, language="fr-CA"):
    head = {"Accept-Language": language}
    return requests.post(server.url + path, json=body, headers=head, timeout=120)


def test_lost_password_is_replaced_through_a_mail(mailing_server, mailbox):
    _, token, address = mailing_server.registers("Ana")
    assert _posts(mailing_server, "/auth/recover", {"email": address}).status_code == 202
    mail, secret = mailbox.receives("recover")
    assert mail["To"] == address and mail["From"] == "Coterie <chat@example.org>"
    assert mail["Subject"].startswith("Nouveau mot de passe pour 127.0.0.1:")
    assert mail["Message-ID"].endswith("@example.org>")
    html = mail.get_body(("html",)).get_content()
    assert '<html lang="fr" dir="ltr">' in html and "<img" not in html and secret in html
    recovered = _posts(mailing_server, f"/auth/recover/{secret}", {"password": NEW_PASSWORD})
    assert recovered.json()["response"] == {"email": address}
    head = {"X-Access-Token": token}
    assert requests.get(f"{mailing_server.url}/v3/users/me", headers=head, timeout=120).status_code == 401
    for password, status in [(PASSWORD, 401), (NEW_PASSWORD, 200)]:
        login = {"email": address, "password": password}
        assert _posts(mailing_server, "/auth/login", login).status_code == status
    told, _ = mailbox.receives("protest")
    assert told["To"] == address
