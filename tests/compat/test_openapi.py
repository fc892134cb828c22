"""/openapi.json as a promise: schemathesis makes up requests from it, good and bad, the
same in every run, and every answer must be one that the document tells of.

Most ids in these requests are real, so that answers of success are seen too.
"""

import base64
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from conftest import PASSWORD, Server

PATIENCE_SECONDS = 900

# The same requests in every run.
SEED = 1

# How many of the ids are real.
REAL = 0.9
# Operations of whose random bodies few succeed; they are tried more often.
SELDOM_SUCCEED = {
    "POST /v3/bots/post": "attachments are seldom right",
    "POST /v3/groups/{id}/rules": "one kind of rule of many fits the fields that are set here",
    "PUT /v3/groups/{id}/rules/{rule}": "one kind of rule of many fits the fields that are set here",
}
MANY = 80

LIMITS_OFF = ["--rate-limit", "off", "--dm-limit", "1000000/1m,1000000/10m"]

# What is not asked, and why.
NOT_ASKED = {
    "/auth/setup": "it makes an admin, whose acts would end accounts that other requests need",
    "/auth/logout": "it ends the token that all requests carry",
    "/auth/account": "it ends the account that all requests carry",
    "/auth/password": "it ends tokens that other requests need, and wrong ones lock the account",
    "/v3/events": "it may wait for a minute",
    "/v3/events/stream": "it has no end",
    "/openapi.json": "schemathesis reads it before everything else, and leaves it out",
}

# What cannot succeed here, and why.
NEVER_SUCCEEDS = {
    "GET /v3/push": "it takes a WebSocket to succeed",
    "POST /oauth/authorize": "it takes the seal of a page that was shown",
    "POST /oauth/token": "it takes a code that somebody consented to",
    "POST /pictures": "bytes made up at random are no image",
    "PUT /uploads/{picture}": "it takes a signed address",
    "PUT /v3/bots/{bot}/messages/{message}": "it takes a message that this bot wrote",
    "DELETE /v3/bots/{bot}/messages/{message}": "it takes a message that this bot wrote",
    "PATCH /v3/uploads/{upload}": "it takes headers that say where the bytes belong",
    "GET /v3/chats/{chat}": "it takes a chat in which somebody wrote",
    "POST /v3/chats/{chat}/approve": "it takes a chat in which somebody wrote",
    "GET /v3/users/{user}": "it takes a user with whom the caller shares something",
    "GET /v1/urls/preview": "link previews are off",
    "POST /v3/groups/{id}/members/{membership}/approval": "it takes a request, which no user of one machine makes",
    "POST /v3/groups/{id}/appeals": "it takes a caller who is timed out or banned",
    "POST /v3/groups/{id}/invites/email": "words made up at random are no email addresses",
    "POST /auth/confirm": "it takes a server that sends mail",
    "POST /auth/confirm/{secret}": "it takes the secret of a mail",
    "GET /auth/invites/{secret}": "it takes an invitation of the operators",
    "POST /auth/fresh": "passwords made up at random have locked the account by then",
    "POST /auth/login/verify": "it takes the code of a log-in that waits",
    "GET /v3/verifications/{code}": "it takes a log-in that waits for the second factor",
    "POST /v3/verifications/{code}/initiate": "it takes a log-in that waits for the second factor",
    "POST /v3/verifications/{code}/confirm": "it takes a log-in that waits for the second factor",
    "POST /auth/totp/confirm": "it takes the code of a secret",
    "POST /auth/totp/recovery-codes": "it takes an account with one-time codes",
    "DELETE /auth/totp": "it takes an account with one-time codes",
    "POST /auth/passkeys/register/finish": "it takes an authenticator",
    "POST /auth/passkeys/login/finish": "it takes an authenticator",
    "GET /auth/passkeys/{passkey_id}": "it takes a passkey",
    "PATCH /auth/passkeys/{passkey_id}": "it takes a passkey",
    "DELETE /auth/passkeys/{passkey_id}": "it takes a passkey",
    "DELETE /auth/devices/{device_id}": "it takes a trusted device",
    "GET /auth/oidc/{provider}/start": "it takes a provider",
    "GET /auth/oidc/{provider}/callback": "it takes a provider",
    "POST /auth/oidc/finish": "it takes a provider",
    "POST /auth/oidc/{provider}/link": "it takes a provider",
    "POST /auth/oidc/{provider}/proof": "it takes a provider",
    "GET /auth/oidc/{provider}/logout": "it takes a provider",
    "POST /auth/oidc/{provider}/logout": "it takes a provider",
    "DELETE /auth/identities/{identity_id}": "it takes an identity at a provider",
    "POST /auth/protest/{secret}": "it takes the secret of a mail",
    "GET /auth/unsubscribe/{sealed}": "it takes a link from a mail",
    "POST /auth/unsubscribe/{sealed}": "it takes a link from a mail",
    "POST /auth/recover": "it takes a server that sends mail",
    "POST /auth/recover/{secret}": "it takes the secret of a mail",
    "POST /oauth/access_token": "it takes a code that somebody consented to",
    "GET /v3/admin/version": "it takes an operator",
    "GET /v3/admin/settings": "it takes an operator",
    "PUT /v3/admin/settings": "it takes an operator",
    "GET /v3/admin/registration": "it takes an operator",
    "PUT /v3/admin/registration": "it takes an operator",
    "GET /v3/admin/users": "it takes an operator",
    "GET /v3/admin/users/{user}": "it takes an operator",
    "POST /v3/admin/users/{user}/disable": "it takes an operator",
    "POST /v3/admin/users/{user}/enable": "it takes an operator",
    "POST /v3/admin/users/{user}/logout": "it takes an operator",
    "POST /v3/admin/users/{user}/recover": "it takes an operator",
    "POST /v3/admin/users/{user}/kind": "it takes an operator",
    "POST /v3/admin/users/{user}/role": "it takes an operator",
    "GET /v3/admin/groups": "it takes an operator",
    "GET /v3/admin/groups/{id}": "it takes an operator",
    "DELETE /v3/admin/groups/{id}": "it takes an operator",
    "POST /v3/admin/groups/{id}/freeze": "it takes an operator",
    "POST /v3/admin/groups/{id}/unfreeze": "it takes an operator",
    "POST /v3/admin/groups/{id}/unlist": "it takes an operator",
    "DELETE /v3/chats/{chat}": "it takes a message request",
    "GET /v3/admin/mail": "it takes an operator",
    "POST /v3/admin/mail/test": "it takes an operator",
    "POST /v3/admin/mail/{mail}/retry": "it takes an operator",
    "GET /v3/admin/audit": "it takes an operator",
    "GET /v3/admin/reports": "it takes an operator",
    "GET /v3/admin/reports/{report}": "it takes an operator",
    "POST /v3/admin/reports/{report}/resolve": "it takes an operator",
    "GET /v3/admin/invites": "it takes an operator",
    "POST /v3/admin/invites": "it takes an operator",
    "DELETE /v3/admin/invites/{invite}": "it takes an operator",
    "GET /v3/admin/requests": "it takes an operator",
    "POST /v3/admin/requests/{user}": "it takes an operator",
    "GET /v3/admin/rules": "it takes an operator",
    "POST /v3/admin/rules": "it takes an operator",
    "POST /v3/admin/rules/test": "it takes an operator",
    "PUT /v3/admin/rules/{rule}": "it takes an operator",
    "DELETE /v3/admin/rules/{rule}": "it takes an operator",
    "GET /v3/admin/scim_tokens": "it takes an operator",
    "POST /v3/admin/scim_tokens": "it takes an operator",
    "DELETE /v3/admin/scim_tokens/{token_id}": "it takes an operator",
    "GET /scim/v2/ServiceProviderConfig": "it takes an operator",
    "GET /scim/v2/ResourceTypes": "it takes an operator",
    "GET /scim/v2/ResourceTypes/{resource_type}": "it takes an operator",
    "GET /scim/v2/Schemas": "it takes an operator",
    "GET /scim/v2/Schemas/{schema}": "it takes an operator",
    "POST /scim/v2/.search": "it takes an operator",
    "GET /scim/v2/Users": "it takes an operator",
    "POST /scim/v2/Users": "it takes an operator",
    "GET /scim/v2/Users/{user}": "it takes an operator",
    "PUT /scim/v2/Users/{user}": "it takes an operator",
    "PATCH /scim/v2/Users/{user}": "it takes an operator",
    "DELETE /scim/v2/Users/{user}": "it takes an operator",
    "GET /v3/admin/directory_groups": "it takes an operator",
    "PUT /v3/admin/directory_groups/{directory_group}": "it takes an operator",
    "GET /scim/v2/Groups": "it takes an operator",
    "POST /scim/v2/Groups": "it takes an operator",
    "POST /scim/v2/Groups/.search": "it takes an operator",
    "GET /scim/v2/Groups/{directory_group}": "it takes an operator",
    "PUT /scim/v2/Groups/{directory_group}": "it takes an operator",
    "PATCH /scim/v2/Groups/{directory_group}": "it takes an operator",
    "DELETE /scim/v2/Groups/{directory_group}": "it takes an operator",
}

# Times of events.
EVENT_TIMES = {
    "body.start_at": ["2100-01-01T18:00:00+01:00"],
    "body.end_at": ["2100-01-01T21:00:00+01:00"],
    "body.timezone": ["Europe/Berlin"],
}
# When polls end.
TOMORROW = int(time.time()) + 86_400

# A callback URL that is allowed, and where nobody listens.
NOBODY = "http://127.0.0.1:9/"

# A PNG of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

# The generator of P-256 as a browser's public key, and a secret (RFC 8291).
POINT = bytes.fromhex(
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
KEYS = {
    "p256dh": base64.urlsafe_b64encode(POINT).decode().rstrip("="),
    "auth": base64.urlsafe_b64encode(bytes(16)).decode().rstrip("="),
}

# Not promised: the server takes more than the document tells (unknown fields, numbers as
# ids), and refuses what no schema can say (a picture of another host).
NOT_CHECKED = ["negative_data_rejection", "positive_data_acceptance"]


@pytest.fixture(scope="module")
def lenient(tmp_path_factory):
    """A server of its own, without limits."""
    server = Server(tmp_path_factory.mktemp("openapi"), *LIMITS_OFF)
    yield server
    server.ends()


class Person:
    """Someone with an account, and the calls that make a small world."""

    def __init__(self, server, name):
        self.url = server.url
        self.id, self.token, self.email = server.registers(name)

    def asks(self, method, path, **more):
        headers = {"X-Access-Token": self.token}
        answer = requests.request(method, self.url + path, headers=headers, timeout=120, **more)
        assert answer.ok, answer.text
        return answer.json()["response"]

    def founds(self, name):
        return self.asks("POST", "/v3/groups", json={"name": name, "share": True})

    def adds(self, group, person):
        """Returns the ids of the request and of the membership."""
        members = {"members": [{"nickname": "Friend", "user_id": person.id}]}
        request = self.asks("POST", f"/v3/groups/{group}/members/add", json=members)["results_id"]
        path = f"{self.url}/v3/groups/{group}/members/results/{request}"
        for _ in range(2400):
            results = requests.get(path, headers={"X-Access-Token": self.token}, timeout=120)
            if results.status_code == 200:
                return request, results.json()["response"]["members"][0]["id"]
            time.sleep(0.05)
        raise AssertionError("nobody was added")

    def adds_a_device(self, number):
        device = {"endpoint": f"{NOBODY}{number}", "keys": KEYS}
        return self.asks("POST", "/v3/push/devices", json=device)["registration_id"]

    def says(self, group, text):
        message = {"message": {"source_guid": text, "text": text}}
        return self.asks("POST", f"/v3/groups/{group}/messages", json=message)["message"]["id"]

    def reports(self, group, message):
        path = f"/v3/conversations/{group}/messages/{message}/report"
        return self.asks("POST", path, json={"reason": "spam"})["report"]["id"]

    def makes_a_rule(self, group):
        rule = {"name": "Ads", "kind": "words", "words": ["advertisement"], "action": "refuse"}
        return self.asks("POST", f"/v3/groups/{group}/rules", json=rule)["rule"]["id"]

    def makes_an_invite(self, group):
        return self.asks("POST", f"/v3/groups/{group}/invites", json={})["invite"]["id"]

    def holds(self, group, author, number):
        """Returns the id of a message of the author that waits for approval."""
        rule = {"name": "Sales", "kind": "words", "words": ["auction"], "action": "hold"}
        if number == 0:
            self.asks("POST", f"/v3/groups/{group}/rules", json=rule)
        message = {"message": {"source_guid": f"held-{number}", "text": "auction"}}
        return author.asks("POST", f"/v3/groups/{group}/messages", json=message)["held"]["id"]

    def writes(self, person, text):
        message = {"source_guid": text, "text": text, "recipient_id": person.id}
        return self.asks("POST", "/v3/direct_messages", json={"direct_message": message})["message"]["id"]

    def stores_an_image(self):
        """Returns its name. The answer has no envelope."""
        headers = {"X-Access-Token": self.token}
        answer = requests.post(f"{self.url}/pictures", headers=headers, timeout=120, data=PIXEL)
        return answer.json()["payload"]["url"].rsplit("/", 1)[1]

    def uploads_an_image(self):
        """Returns its id and its name, of an image uploaded in two steps."""
        headers = {"X-Access-Token": self.token}
        announced = {"extension": "png", "fileSize": len(PIXEL), "width": 1, "height": 1}
        answer = requests.post(f"{self.url}/uploads", headers=headers, timeout=120, json=announced)
        places = answer.json()
        requests.put(places["uploadUrl"], timeout=120, data=PIXEL).raise_for_status()
        return places["renderUrl"].rsplit("/", 2)[1:]

    def uploads(self, group):
        """Returns the id of a file that waits to be sent."""
        headers = {"X-Access-Token": self.token}
        path = f"{self.url}/v3/conversations/{group}/files"
        answer = requests.post(path, headers=headers, timeout=120, data=b"rope at six")
        return answer.json()["response"]["file"]["file_id"]

    def begins_an_upload(self, group):
        """Returns its id: nothing of it came yet."""
        headers = {"X-Access-Token": self.token, "Upload-Complete": "?0"}
        path = f"{self.url}/v3/conversations/{group}/files"
        answer = requests.post(path, headers=headers, timeout=120)
        return answer.headers["Location"].rsplit("/", 1)[1]

    def uploads_as_a_job(self, group):
        """Returns the job. The answer has no envelope."""
        headers = {"X-Access-Token": self.token}
        path = f"{self.url}/v1/{group}/files"
        answer = requests.post(path, headers=headers, timeout=120, data=b"rope at six")
        return answer.json()["status_url"].rsplit("job=", 1)[1]

    def plans(self, group):
        """Returns the id of the event."""
        event = {"name": "Climb", "start_at": "2100-01-01T18:00:00Z", "end_at": "2100-01-01T21:00:00Z"}
        return self.asks("POST", f"/v3/conversations/{group}/events/create", json=event)["event"]["event_id"]

    def asks_a_group(self, group, kind):
        """Returns the id of the poll."""
        options = [{"title": "six"}, {"title": "seven"}]
        poll = {"subject": "When?", "options": options, "expiration": TOMORROW, "type": kind}
        return self.asks("POST", f"/v3/poll/{group}", json=poll)["poll"]["data"]["id"]

    def logs_in_again(self):
        """Returns the id of the token."""
        body = {"email": self.email, "password": PASSWORD}
        requests.post(f"{self.url}/auth/login", json=body, timeout=120).raise_for_status()
        return self.asks("GET", "/auth/tokens")[-1]["id"]

    def makes_an_application(self):
        body = {"name": "Ropes", "callback_url": "https://ropes.example/back"}
        return self.asks("POST", "/oauth/applications", json=body)["client_id"]

    def makes_a_topic(self, group):
        made = self.asks("POST", f"/v3/groups/{group}/subgroups", json={"topic": "Knots"})
        return str(made["id"])

    def makes_a_bot(self, group, **more):
        bot = {"bot": {"name": "Belay", "group_id": group, **more}}
        return self.asks("POST", "/v3/bots", json=bot)["bot_id"]

    def has_bots(self, group):
        """Returns their public ids."""
        for _ in range(10):
            self.makes_a_bot(group)
        return [bot["sender_id"] for bot in self.asks("GET", f"/v3/groups/{group}/bots")["bots"]]

    def makes_a_called_bot(self, group):
        """Nobody listens there, so there is a delivery as soon as it was tried."""
        bot = self.makes_a_bot(group, callback_url=NOBODY)
        for _ in range(2400):
            if self.asks("GET", f"/v3/bots/{bot}/deliveries")["deliveries"]:
                return bot
            time.sleep(0.05)
        raise AssertionError("no callback was tried")


def left_by(ana, host):
    """A group that Ana was in."""
    group = host.founds("Left")["id"]
    _, membership = host.adds(group, ana)
    ana.asks("POST", f"/v3/groups/{group}/members/{membership}/remove")
    return group


def joined_by(ana, host):
    """A group of the host that Ana is in."""
    group = host.founds("Joined")["id"]
    host.adds(group, ana)
    return group


def real_ids(server, ana):
    """Real ids by where requests have them: for all operations, and for single ones whose
    success uses them up or changes what others need."""
    ben, cal, dan = (Person(server, name) for name in ("Ben", "Cal", "Dan"))
    group = ana.founds("Climbers")
    home = group["id"]
    request, _ = ana.adds(home, ben)
    message = ana.says(home, "rope at six")
    direct = ana.writes(ben, "hi Ben")
    everywhere = {
        "path.id": [home],
        "path.token": [group["share_url"].rsplit("/", 1)[1]],
        "path.conversation": [home],
        "path.message": [message],
        "path.file": [ana.uploads(home)],
        "path.request": [request],
        "path.upload": [ana.begins_an_upload(home)],
        "path.poll": [ana.asks_a_group(home, "single")],
        "path.option": ["1"],
        "path.ics": [f"{ana.plans(home)}.ics"],
        "query.event_id": [ana.plans(home)],
        "query.end_at": ["2026-01-31T12:00:00+01:00"],
        "query.job": [ana.uploads_as_a_job(home)],
        "path.name": [ana.stores_an_image()],
        "path.bot": [ana.makes_a_called_bot(home)],
        "path.topic": [ana.makes_a_topic(home)],
        "path.delivery": ["1"],
        "query.other_user_id": [ben.id],
        "query.parts": ["groups", "chats", "groups,chats"],
        "query.user": [ana.id],
        "query.otherUser": [cal.id],
        "body.group_id": [home],
        "body.message_id": [message],
        "body.bot_id": [ana.makes_a_bot(home)],
        "body.message.text": ["rope", "❤️"],
        "body.message.attachments[*].reply_id": [message],
        "body.message.attachments[*].base_reply_id": [message],
        "body.direct_message.attachments[*].reply_id": [direct],
        "body.direct_message.attachments[*].base_reply_id": [direct],
        "body.direct_message.recipient_id": [ben.id],
        "body.direct_message.text": ["rope", "❤️"],
        "body.requests[*].group_id": [ana.founds("Given away")["id"]],
        "body.members[*].user_id": [dan.id],
    }
    going = [ana.adds(home, Person(server, "Eve"))[1] for _ in range(10)]
    workshop = ana.founds("Workshop")["id"]
    left = [left_by(ana, Person(server, "Flo")) for _ in range(3)]
    picture, name = ana.uploads_an_image()
    single = {
        "GET /uploads/{picture}/{name}": {"path.picture": [picture], "path.name": [name]},
        "POST /uploads": {"body.extension": ["png", "jpg"], "body.fileSize": [len(PIXEL)]},
        "POST /v3/groups/{id}/update": {"path.id": [ana.founds("Changed")["id"]]},
        "DELETE /v3/groups/{id}/subgroups/{topic}": {
            "path.topic": [ana.makes_a_topic(home) for _ in range(10)],
        },
        "POST /v3/groups/{id}/archive": {"path.id": [ana.founds("Archived")["id"]]},
        "POST /v3/groups/{id}/unarchive": {"path.id": [ana.founds("Archived")["id"]]},
        "POST /v3/groups/{id}/destroy": {"path.id": [ana.founds("Gone")["id"] for _ in range(10)]},
        "POST /v3/groups/{id}/members/{membership}/remove": {"path.membership": going},
        "POST /v3/groups/{id}/members/{membership}/update": {
            "path.membership": [ana.adds(home, Person(server, "Gil"))[1]],
            "body.role": ["admin", "user"],
        },
        "POST /v3/groups/{id}/memberships/{membership}/destroy": {"path.membership": going},
        "POST /v3/groups/{id}/memberships/{membership}/activate": {"path.membership": going},
        "PUT /v3/groups/{id}/bans/{user}": {
            "path.user": [Person(server, "Hal").id],
            "body.until": [TOMORROW],
        },
        "PUT /v3/groups/{id}/members/{membership}/timeout": {
            "path.membership": [ana.adds(home, Person(server, "Ida"))[1]],
            "body.until": [TOMORROW],
        },
        "DELETE /v3/groups/{id}/members/{membership}/timeout": {
            "path.membership": [ana.adds(home, Person(server, "Jon"))[1]],
        },
        "POST /v3/conversations/{conversation}/messages/{message}/report": {
            "path.message": [ben.says(home, f"advertisement {number}") for number in range(10)],
            "body.reason": ["spam", "other"],
        },
        "POST /v3/users/{user}/report": {
            "path.user": [ben.id],
            "body.reason": ["spam", "other"],
        },
        "POST /v3/groups/{id}/report": {
            "path.id": [joined_by(ana, ben)],
            "body.reason": ["spam", "other"],
        },
        "POST /v3/groups/{id}/reports/{report}/resolve": {
            "path.report": [ana.reports(home, ben.says(home, f"again {number}")) for number in range(10)],
            "body.action": ["dismiss"],
        },
        "DELETE /v3/groups/{id}/invites/{invite}": {
            "path.invite": [ana.makes_an_invite(home) for _ in range(5)],
        },
        "POST /v3/groups/{id}/rules": {
            "body.name": ["Ads"],
            "body.kind": ["mentions"],
            "body.limit": [5, 7],
            "body.action": ["refuse"],
        },
        "PUT /v3/groups/{id}/rules/{rule}": {
            "path.rule": [ana.makes_a_rule(home)],
            "body.name": ["Ads"],
            "body.kind": ["mentions"],
            "body.limit": [5, 7],
            "body.action": ["refuse"],
        },
        "DELETE /v3/groups/{id}/rules/{rule}": {
            "path.rule": [ana.makes_a_rule(home) for _ in range(5)],
        },
        "POST /v3/groups/{id}/held/{held}": {
            "path.held": [ana.holds(home, ben, number) for number in range(10)],
        },
        "POST /v3/groups/{id}/rejoin": {"path.id": left},
        "POST /v3/groups/join": {"body.group_id": left},
        "POST /v3/bots/{bot}/update": {
            "path.bot": [ana.makes_a_bot(home)],
            "body.callback_url": [NOBODY],
        },
        "POST /v3/bots/update": {
            "body.bot_id": [ana.makes_a_bot(home)],
            "body.callback_url": [NOBODY],
        },
        "PUT /v3/groups/{id}/messages/{message}": {
            "path.message": [ana.says(home, "rope at five")],
            "body.text": ["rope at seven"],
        },
        "PUT /v3/conversations/{conversation}/messages/{message}": {
            "path.message": [ana.says(home, "rope at eight")],
            "body.text": ["rope at nine"],
        },
        "POST /v3/bots/destroy": {"body.bot_id": [ana.makes_a_bot(home) for _ in range(10)]},
        "DELETE /v3/groups/{id}/bots/{sender}": {
            "path.id": [workshop],
            "path.sender": ana.has_bots(workshop),
        },
        "DELETE /auth/tokens/{token_id}": {"path.token_id": [ana.logs_in_again() for _ in range(10)]},
        "GET /oauth/authorize": {
            "query.client_id": [ana.makes_an_application()],
            "query.redirect_uri": ["https://ropes.example/back"],
            "query.response_type": ["token"],
        },
        "POST /oauth/applications": {
            "body.name": ["Tides"],
            "body.callback_url": ["https://tides.example/", "http://localhost:9000/back"],
        },
        "DELETE /oauth/applications/{client_id}": {
            "path.client_id": [ana.makes_an_application() for _ in range(10)],
        },
        "POST /v3/push/devices": {
            "body.endpoint": [NOBODY],
            "body.keys.p256dh": [KEYS["p256dh"]],
            "body.keys.auth": [KEYS["auth"]],
        },
        "DELETE /v3/push/devices/{device}": {
            "path.device": [ana.adds_a_device(number) for number in range(9)],
        },
        "DELETE /v3/uploads/{upload}": {
            "path.upload": [ana.begins_an_upload(home) for _ in range(10)],
        },
        "POST /v3/poll/{id}": {"body.expiration": [TOMORROW]},
        "POST /v3/poll/{id}/{poll}": {
            "path.poll": [ana.asks_a_group(home, "multi")],
            "body.votes[*]": ["1", "2"],
        },
        "POST /v3/poll/{id}/{poll}/end": {
            "path.poll": [ana.asks_a_group(home, "single") for _ in range(10)],
        },
        "POST /v3/conversations/{conversation}/events/create": EVENT_TIMES,
        "POST /v3/conversations/{conversation}/events/update": EVENT_TIMES,
        "DELETE /v3/conversations/{conversation}/events/delete": {
            "query.event_id": [ana.plans(home) for _ in range(10)],
        },
        "POST /v3/users/{user}": {"path.user": [ana.id]},
        "POST /v3/read_receipts/{conversation}": {"body.last_read_message_id": [message]},
        "GET /v3/direct_messages/{message}": {"path.message": [direct]},
        "PUT /v3/direct_messages/{user}/messages/{message}": {
            "path.user": [ben.id],
            "path.message": [direct],
            "body.text": ["rope at seven"],
        },
        "POST /v3/bots/post": {
            "body.text": ["rope at six"],
            "body.picture_url": [f"{server.url}/images/{ana.stores_an_image()}"],
        },
        "POST /oauth/revoke": {"body.client_id": [ana.makes_an_application()]},
        "POST /auth/login": {"body.email": [ana.email], "body.password": [PASSWORD]},
        "POST /v3/access_tokens": {"body.username": [ana.email], "body.email": [ana.email], "body.password": [PASSWORD]},
        "POST /auth/register": {"body.email": [f"new-{n}@example.org" for n in range(40)]},
    }
    return everywhere, single


def settings(everywhere, single):
    """The settings of schemathesis, in TOML."""
    dictionaries, bindings = [], ["[parameters]"]
    # Ids are those below, and none that was seen in an answer: a list of tokens tells the
    # id of the one that all requests carry, and ending it would be the end of the test.
    unlearnt = [f"[phases.{it}.extra-data-sources]\nresponses = false" for it in ("coverage", "fuzzing")]

    def binds(real):
        for place, values in real.items():
            name = f"real{len(dictionaries)}"
            dictionaries.append(f"[dictionaries.{name}]\nvalues = {json.dumps(values)}")
            bindings.append(f'"{place}" = {{ dictionary = "{name}", probability = {REAL} }}')

    binds(everywhere)
    for operation, real in single.items():
        examples = f"[operations.generation]\nmax-examples = {MANY}\n" if operation in SELDOM_SUCCEED else ""
        bindings.append(f'[[operations]]\ninclude-name = "{operation}"\n{examples}[operations.parameters]')
        binds({**everywhere, **real})
    return "\n".join(unlearnt + dictionaries + bindings)


def successes(har, document):
    """Operations that were asked, and those that succeeded at least once."""
    patterns = []
    for path, methods in document["paths"].items():
        pattern = re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(path)) + r"(\?.*)?")
        patterns += [(method.upper(), pattern, f"{method.upper()} {path}") for method in methods]
    # The most exact first: /groups/former is no group.
    patterns.sort(key=lambda it: it[2].count("{"))
    asked, succeeded = set(), set()
    for entry in har["log"]["entries"]:
        method, url = entry["request"]["method"], entry["request"]["url"]
        path = "/" + url.split("/", 3)[3]
        known = next((name for verb, it, name in patterns if verb == method and it.fullmatch(path)), None)
        asked.add(known)
        if entry["response"]["status"] < 400:
            succeeded.add(known)
    return asked, succeeded


def test_every_answer_is_one_that_the_document_tells_of(lenient, tmp_path):
    ana = Person(lenient, "Ana")
    document = requests.get(f"{lenient.url}/openapi.json", timeout=120).json()
    config, har = tmp_path / "schemathesis.toml", tmp_path / "asked.har"
    config.write_text(settings(*real_ids(lenient, ana)))
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)]
    command += ["run", f"{lenient.url}/openapi.json", "--header", f"X-Access-Token: {ana.token}"]
    command += ["--phases", "coverage,fuzzing", "--max-examples", "8", "--seed", str(SEED)]
    command += ["--exclude-checks", ",".join(NOT_CHECKED), "--report-har-path", str(har)]
    command += ["--generation-database", "none", "--request-timeout", "120", "--output-sanitize", "false", "--no-color"]
    for path in NOT_ASKED:
        command += ["--exclude-path", path]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, run.stdout + run.stderr

    asked, succeeded = successes(json.loads(har.read_text()), document)
    told = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
        if path not in NOT_ASKED
    }
    assert told - asked == set(), "never asked"
    differing = sorted((told - succeeded) ^ set(NEVER_SUCCEEDS))
    assert differing == [], f"asked, but not in a way that could succeed, or listed and succeeding: {differing}"
