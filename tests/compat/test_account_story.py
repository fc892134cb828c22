"""The life of an account with parts that others wrote: it is locked out by wrong passwords, recovers by
mail (aiosmtpd), moves to single sign-on (oidc-provider), and is disabled by its directory (scim2-client).
"""

import html
import json
import re
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
import requests
import websocket
from aiosmtpd.controller import Controller
from httpx import Client
from scim2_models import SearchRequest

from conftest import PASSWORD, Server
from test_recovery import NEW_PASSWORD, Mailbox
from test_scim import Directory


@pytest.fixture
def issuer():
    here = Path(__file__).parent
    process = subprocess.Popen(
        ["node", "oidc_issuer.js"], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    url = process.stdout.readline().strip()
    assert url.startswith("http://"), url
    yield url, process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


@pytest.fixture
def mailbox():
    return Mailbox()


@pytest.fixture
def place(tmp_path, issuer, mailbox):
    """The server, with a mail server and a provider."""
    url, provider = issuer
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    options = ["--smtp-url", f"smtp://127.0.0.1:{port}", "--mail-from", "chat@example.org"]
    options += ["--oidc-issuer", url, "--oidc-client", "chat", "--oidc-secret", "a secret of both"]
    options += ["--oidc-scopes", "openid profile email", "--rate-limit", "off"]
    server = Server(tmp_path, *options)
    provider.stdin.write(f"{server.url}\n")
    provider.stdin.flush()
    assert provider.stdout.readline() == "ready\n"
    yield server
    server.ends()
    controller.stop()


class Browser(requests.Session):
    """A browser without scripts."""

    def goes(self, url, body=None):
        """Opens an address, follows redirects, and returns the last address and its page."""
        answer = self.request("POST" if body else "GET", url, data=body, allow_redirects=False, timeout=120)
        while answer.status_code in (302, 303):
            url = urljoin(url, answer.headers["location"])
            if urlsplit(url).fragment:
                return url, ""
            answer = self.get(url, allow_redirects=False, timeout=120)
        return url, answer.text

    def submits(self, shown, **fields):
        url, page = shown
        action = html.unescape(re.search(r'<form[^>]* action="([^"]+)"', page)[1])
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
        return self.goes(urljoin(url, action), {**hidden, **fields})

    def passes_the_provider(self, way):
        """Logs in at the provider and agrees. Returns the address here to which it led back."""
        asked = self.submits(self.goes(way), prompt="login", login="ana", password="any")
        return self.submits(asked, prompt="consent")[0]


def _posts(server, path, body, token=None, session=requests):
    head = {"X-Access-Token": token} if token else {}
    return session.post(server.url + path, json=body, headers=head, timeout=120)


def _status(server, token):
    head = {"X-Access-Token": token}
    return requests.get(f"{server.url}/v3/users/me", headers=head, timeout=120).status_code


def _directory(server):
    """Makes an admin, and the client of a directory with a token of theirs."""
    who = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
    admin = _posts(server, "/auth/setup", who)
    assert admin.status_code == 201, admin.text
    token = admin.json()["response"]["access_token"]
    body = {"name": "Directory", "reason": "accounts come from there"}
    made = _posts(server, "/v3/admin/scim_tokens", body, token).json()["response"]
    head = {"Authorization": f"Bearer {made['access_token']}"}
    directory = Directory(Client(base_url=f"{server.url}/scim/v2", headers=head, timeout=120))
    directory.discover()
    return directory


def test_account_is_locked_recovered_moved_to_single_sign_on_and_disabled(place, mailbox):
    server = place
    directory = _directory(server)
    who = {"name": "Ana", "email": "ana@example.org", "password": PASSWORD}
    user = _posts(server, "/auth/register", who).json()["response"]["user"]["id"]

    # A stranger guesses until the account takes no password any more, not even the right one.
    wrong = {"email": who["email"], "password": "another rope"}
    tried = [_posts(server, "/auth/login", wrong).status_code for _ in range(11)]
    assert tried[0] == 401 and tried[-1] == 429, tried
    right = {"email": who["email"], "password": PASSWORD}
    assert _posts(server, "/auth/login", right).status_code == 429

    # A link in a mail sets a new password.
    assert _posts(server, "/auth/recover", {"email": who["email"]}).status_code == 202
    mail, secret = mailbox.receives("recover")
    assert mail["To"] == who["email"]
    recovered = _posts(server, f"/auth/recover/{secret}", {"password": NEW_PASSWORD})
    assert recovered.status_code == 200, recovered.text
    login = _posts(server, "/auth/login", {"email": who["email"], "password": NEW_PASSWORD})
    assert login.status_code == 200, login.text
    token = login.json()["response"]["access_token"]

    # The account is linked to one at the provider, which logs in from then on.
    browser = Browser()
    begun = _posts(server, "/auth/oidc/sso/link", {"return": "/#/account"}, token, browser)
    assert begun.status_code == 201, begun.text
    browser.passes_the_provider(begun.json()["response"]["url"])
    browser = Browser()
    back = browser.passes_the_provider(f"{server.url}/auth/oidc/sso/start?return=/")
    code = re.fullmatch(r"/sso/([\w-]+)", urlsplit(back).fragment)[1]
    arrived = _posts(server, "/auth/oidc/finish", {"code": code}, session=browser)
    assert arrived.status_code == 200, arrived.text
    arrived = arrived.json()["response"]
    assert arrived["user"]["id"] == user
    tokens = [token, arrived["access_token"]]
    assert [_status(server, it) for it in tokens] == [200, 200]

    # The directory finds the account by its address and disables it.
    User = directory.get_resource_model("User")
    wanted = SearchRequest(filter=f'userName eq "{who["email"]}"')
    found = directory.query(User, query_parameters=wanted)
    (account,) = found.resources
    assert account.id == user
    live = websocket.create_connection(f"{server.url.replace('http', 'ws', 1)}/v3/push", timeout=120)
    live.send(json.dumps({"t": "hello", "v": 1, "token": tokens[1], "after": None}))
    assert json.loads(live.recv())["t"] == "welcome"
    began = time.monotonic()
    account.active = False
    directory.replace(account)
    while live.recv_data()[0] != websocket.ABNF.OPCODE_CLOSE:
        pass
    print(f"the session ended after {time.monotonic() - began:.3f} s")
    assert [_status(server, it) for it in tokens] == [401, 401]
    assert _posts(server, "/auth/login", {"email": who["email"], "password": NEW_PASSWORD}).status_code == 403
    again = Browser()
    back = again.passes_the_provider(f"{server.url}/auth/oidc/sso/start?return=/")
    code = urlsplit(back).fragment.rsplit("/", 1)[1]
    assert _posts(server, "/auth/oidc/finish", {"code": code}, session=again).status_code == 403
    live.close()
