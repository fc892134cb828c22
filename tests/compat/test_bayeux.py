"""aiocometd-noloop and groupme-push (PyPI) as independent testers of `/faye`: on a
WebSocket and by long-polling, and across a restart of the server."""

import asyncio
import queue
import time

import pytest
import requests
import websocket
from aiocometd_noloop import Client, ConnectionType
from aiocometd_noloop.exceptions import ServerError
from aiocometd_noloop.extensions import Extension
from conftest import Server
from groupme_push.client import PushClient

PATIENCE_SECONDS = 120


class Token(Extension):
    """Shows a token, and the cursor to go on after. The first connect does not wait, as
    that of CometD's own client: this client subscribes only after its answer."""

    def __init__(self, token):
        self.token, self.cursor, self.connects = token, None, 0

    async def outgoing(self, payload, headers):
        for message in payload:
            if message["channel"] == "/meta/connect":
                self.connects += 1
                if self.connects == 1:
                    message["advice"] = {"timeout": 0}
            if message["channel"] == "/meta/subscribe":
                message["ext"] = {"access_token": self.token}
                if self.cursor:
                    message["ext"]["after"] = self.cursor

    async def incoming(self, payload, headers=None):
        for message in payload:
            self.cursor = (message.get("ext") or {}).get("c", self.cursor)


@pytest.fixture
def own(tmp_path):
    """A server of its own, to be restarted."""
    server = Server(tmp_path / "data")
    yield server
    server.ends()


def founds(server, token, name="Climbers"):
    answer = requests.post(
        f"{server.url}/v3/groups", headers={"X-Access-Token": token}, json={"name": name}, timeout=120
    )
    return answer.json()["response"]["id"]


def says(server, token, group, text):
    message = {"message": {"source_guid": f"{text} {time.time_ns()}", "text": text}}
    url = f"{server.url}/v3/groups/{group}/messages"
    answer = requests.post(url, headers={"X-Access-Token": token}, json=message, timeout=120)
    assert answer.status_code == 201, answer.text


async def hears(client):
    """The text of the next line."""
    while True:
        message = await asyncio.wait_for(client.receive(), PATIENCE_SECONDS)
        if message["data"]["type"] != "ping":
            return message["data"]["subject"]["text"]


def opened(server, transport, extension):
    return Client(
        f"{server.url}/faye", transport, connection_timeout=PATIENCE_SECONDS, extensions=[extension]
    )


TRANSPORTS = [ConnectionType.WEBSOCKET, ConnectionType.LONG_POLLING]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_aiocometd_hears_everything_in_order(server, transport):
    user, token, _ = server.registers("Ana")
    group = founds(server, token)

    async def acts():
        async with opened(server, transport, Token(token)) as client:
            await client.subscribe(f"/user/{user}")
            assert client.connection_type == transport
            texts = [f"rope {number}" for number in range(20)]
            for text in texts:
                await asyncio.to_thread(says, server, token, group, text)
            assert [await hears(client) for _ in texts] == texts

    asyncio.run(acts())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_aiocometd_is_told_of_a_wrong_token(server, transport):
    user, _, _ = server.registers("Ana")

    async def acts():
        async with opened(server, transport, Token("wrong")) as client:
            with pytest.raises(ServerError) as refused:
                await client.subscribe(f"/user/{user}")
            assert refused.value.error_code == 403

    asyncio.run(acts())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_aiocometd_misses_nothing_of_a_restart(own, transport):
    user, token, _ = own.registers("Ana")
    group = founds(own, token)

    async def acts():
        async with opened(own, transport, Token(token)) as client:
            await client.subscribe(f"/user/{user}")
            await asyncio.to_thread(says, own, token, group, "before")
            assert await hears(client) == "before"
            own.restarts()
            for text in ("one", "two"):
                await asyncio.to_thread(says, own, token, group, text)
            heard = await hears(client)
            while heard == "before":
                heard = await hears(client)
            assert [heard, await hears(client)] == ["one", "two"]

    asyncio.run(acts())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_aiocometd_subscribes_again_after_a_drain(own, transport):
    user, token, _ = own.registers("Ana")
    group = founds(own, token)

    async def acts():
        async with opened(own, transport, Token(token)) as client:
            await client.subscribe(f"/user/{user}")
            await asyncio.to_thread(says, own, token, group, "before")
            assert await hears(client) == "before"
            for text in ("one", "two"):
                await asyncio.to_thread(own.drains_and_restarts)
                await asyncio.to_thread(says, own, token, group, text)
                assert await hears(client) == text

    asyncio.run(acts())


@pytest.fixture
def sockets_elsewhere(monkeypatch):
    """Leads the socket that groupme-push opens elsewhere to a server."""

    def lead(server):
        usual = websocket.WebSocketApp.__init__

        def begins(app, url, **more):
            assert url == "wss://push.groupme.com/faye", url
            usual(app, server.url.replace("http", "ws", 1) + "/faye", **more)

        monkeypatch.setattr(websocket.WebSocketApp, "__init__", begins)

    return lead


def next_text(heard):
    return heard.get(timeout=PATIENCE_SECONDS)["text"]


def test_groupme_push_hears_lines_direct_messages_and_likes(elsewhere, sockets_elsewhere):
    sockets_elsewhere(elsewhere)
    user, token, _ = elsewhere.registers("Ana")
    ben, bens, _ = elsewhere.registers("Ben")
    group = founds(elsewhere, token)
    members = {"members": [{"nickname": "Ben", "user_id": ben}]}
    url = f"{elsewhere.url}/v3/groups/{group}/members/add"
    requests.post(url, headers={"X-Access-Token": token}, json=members, timeout=120)
    lines, letters, likes, favorites = (queue.Queue() for _ in range(4))
    client = PushClient(
        token, on_message=lines.put, on_dm=letters.put, on_like=likes.put, on_favorite=favorites.put,
        threaded_callbacks=False,
    )
    client.start(wait=True)
    try:
        assert client._subscription_confirmed.wait(PATIENCE_SECONDS)
        client.subscribe_to_group(group)
        says(elsewhere, token, group, "rope at six")
        line = lines.get(timeout=PATIENCE_SECONDS)
        assert (line["text"], line["group_id"]) == ("rope at six", group)
        letter = {"direct_message": {"source_guid": "1", "recipient_id": user, "text": "hi Ana"}}
        url = f"{elsewhere.url}/v3/direct_messages"
        requests.post(url, headers={"X-Access-Token": bens}, json=letter, timeout=120)
        assert next_text(letters) == "hi Ana"
        url = f"{elsewhere.url}/v3/messages/{group}/{line['id']}/like"
        assert requests.post(url, headers={"X-Access-Token": bens}, timeout=120).ok
        assert likes.get(timeout=PATIENCE_SECONDS)["line"]["id"] == line["id"]
        assert favorites.get(timeout=PATIENCE_SECONDS)["user_id"] == ben
    finally:
        client.stop()


def test_groupme_push_comes_back_after_a_restart(own, sockets_elsewhere, monkeypatch):
    sockets_elsewhere(own)
    monkeypatch.setattr("groupme_push.client.USER_ENDPOINT", f"{own.url}/v3/users/me")
    monkeypatch.setattr("groupme_push.client.FAYE_HTTP_ENDPOINT", f"{own.url}/faye")
    _, token, _ = own.registers("Ana")
    group = founds(own, token)
    heard = queue.Queue()
    client = PushClient(token, on_message=heard.put, threaded_callbacks=False, reconnect=1)
    client.start(wait=True)
    try:
        assert client._subscription_confirmed.wait(PATIENCE_SECONDS)
        says(own, token, group, "before")
        assert next_text(heard) == "before"
        own.restarts()
        for number in range(60):
            says(own, token, group, f"after {number}")
            try:
                assert heard.get(timeout=0.5)["text"].startswith("after ")
                return
            except queue.Empty:
                continue
        raise AssertionError("it heard nothing more")
    finally:
        client.stop()
