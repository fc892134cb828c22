"""Log-ins with the one-time codes of an authenticator that is not ours."""

import time
from urllib.parse import unquote

import pyotp
import requests

from conftest import PASSWORD


def _posts(server, path, body, token=None):
    head = {"X-Access-Token": token} if token else {}
    return requests.post(server.url + path, json=body, headers=head, timeout=120)


def test_authenticator_reads_the_uri_and_its_codes_log_in(server):
    _, token, address = server.registers("Ana")
    made = _posts(server, "/auth/totp", {}, token).json()["response"]
    app = pyotp.parse_uri(made["uri"])
    assert app.secret == made["secret"] and app.digits == 6 and app.interval == 30
    assert unquote(app.name) == address and app.issuer.startswith("Coterie ")
    confirmed = _posts(server, "/auth/totp/confirm", {"code": app.now()}, token)
    assert confirmed.status_code == 200, confirmed.text
    recovery = confirmed.json()["response"]["recovery_codes"]
    assert len(set(recovery)) == 10

    login = {"email": address, "password": PASSWORD}
    waits = _posts(server, "/auth/login", login)
    assert waits.status_code == 202
    code = waits.json()["response"]["verification"]["code"]
    # One step ahead, which counts: the present code was used for the set-up.
    ahead = app.at(int(time.time()), counter_offset=1)
    finished = _posts(server, "/auth/login/verify", {"code": code, "totp": ahead})
    assert finished.status_code == 200, finished.text
    head = {"X-Access-Token": finished.json()["response"]["access_token"]}
    assert requests.get(f"{server.url}/v3/users/me", headers=head, timeout=120).status_code == 200

    code = _posts(server, "/auth/login", login).json()["response"]["verification"]["code"]
    assert _posts(server, "/auth/login/verify", {"code": code, "totp": ahead}).status_code == 401
    by_recovery = {"code": code, "recovery": recovery[0]}
    assert _posts(server, "/auth/login/verify", by_recovery).status_code == 200
