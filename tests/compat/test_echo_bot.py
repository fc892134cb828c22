"""The echo bots of the guide at /docs/bots, as a newcomer gets them: downloaded from the
server, started with the id and the secret of a bot, and spoken to.
"""

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest
import requests

from conftest import Server


def _free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class Group:
    """A group of somebody, and what is said there."""

    def __init__(self, server):
        self.url = f"{server.url}/v3"
        self.head = {"X-Access-Token": server.registers("Ana")[1]}
        self.id = self.asks("POST", "/groups", {"name": "Climbers"})["id"]

    def asks(self, method, path, body=None):
        answer = requests.request(method, self.url + path, json=body, headers=self.head, timeout=120)
        assert answer.ok, answer.text
        return answer.json()["response"]

    def says(self, text):
        message = {"source_guid": text, "text": text}
        self.asks("POST", f"/groups/{self.id}/messages", {"message": message})

    def texts(self):
        return [it["text"] for it in self.asks("GET", f"/groups/{self.id}/messages")["messages"]]

    def hears(self, text):
        for _ in range(2400):
            if text in self.texts():
                return
            time.sleep(0.05)
        raise AssertionError(f"nobody said {text!r}: {self.texts()}")


def _gets(server, file, folder, lines=20):
    """Downloads a program of the guide, which has so many lines at most."""
    page = requests.get(f"{server.url}/docs/bots", timeout=120)
    assert f'data-file="/docs/bots/{file}"' in page.text
    code = requests.get(f"{server.url}/docs/bots/{file}", timeout=120)
    assert code.ok and len(code.text.splitlines()) <= lines
    (folder / file).write_text(code.text)


@contextlib.contextmanager
def _running(words):
    running = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@pytest.mark.parametrize(
    ("file", "program"), [("echo.py", sys.executable), ("echo.mjs", shutil.which("node"))]
)
def test_the_bot_of_the_guide_answers(server, tmp_path, file, program):
    _gets(server, file, tmp_path)
    group, port = Group(server), _free_port()
    wanted = {"name": "Echo", "group_id": group.id, "callback_url": f"http://127.0.0.1:{port}/"}
    bot = group.asks("POST", "/bots", {"bot": wanted})
    words = [program, tmp_path / file, bot["bot_id"], bot["secret"], server.url, str(port)]
    with _running(words):
        group.says("hello 🧗")
        group.hears("echo: hello 🧗")
        rotated = group.asks("POST", f"/bots/{bot['bot_id']}/secret")
        assert rotated["secret"] != bot["secret"]
        # Both sign now, so a bot that knows the old secret still answers.
        group.says("again")
        group.hears("echo: again")
        forged = {"webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
        told = requests.post(f"http://127.0.0.1:{port}/", data=b"{}", headers=forged, timeout=120)
        assert told.status_code == 401
        assert group.texts().count("echo: hello 🧗") == 1


def _pass_on(source, target, loses):
    """Passes on what comes, until it ends or is to be lost: then both ways are cut."""
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            if loses(piece):
                break
            target.sendall(piece)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _losing(server, words, times):
    """A way to the server on which the next answers to what holds these words are lost."""
    asked, lost = threading.Event(), []

    def loses_answer(piece):
        if not asked.is_set() or len(lost) == times:
            return False
        asked.clear()
        lost.append(piece)
        return True

    def notes(piece):
        if words in piece and len(lost) < times:
            asked.set()
        return False

    def serves(door):
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection((there.hostname, there.port))
                for ends in ((near, far, notes), (far, near, loses_answer)):
                    threading.Thread(target=_pass_on, args=ends, daemon=True).start()

    there = urlsplit(server.url)
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=serves, args=(door,), daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}", lost
        with contextlib.suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def own(tmp_path):
    """A server that may be killed."""
    server = Server(tmp_path / "data")
    yield server
    server.ends()


def _pulls(bot, url, folder):
    # Node.js 20 knows WebSocket by a flag, later ones by themselves.
    node = [shutil.which("node"), "--experimental-websocket", folder / "pull.mjs"]
    return [*node, bot["bot_id"], bot["secret"], url, folder / "place"]


def test_the_bot_that_pulls_answers_once_although_answers_of_the_server_are_lost(own, tmp_path):
    _gets(own, "pull.mjs", tmp_path, lines=25)
    group = Group(own)
    bot = group.asks("POST", "/bots", {"bot": {"name": "Pull", "group_id": group.id}})
    (tmp_path / "place").write_text("0")
    with _losing(own, b"POST /v3/bots/post", 2) as (url, lost), _running(_pulls(bot, url, tmp_path)):
        group.says("hello")
        group.says("again")
        group.hears("echo: again")
        texts = group.texts()
        assert len(lost) == 2
    assert [texts.count(f"echo: {it}") for it in ["hello", "again"]] == [1, 1]


def test_the_bot_that_pulls_answers_everything_once(own, tmp_path):
    _gets(own, "pull.mjs", tmp_path, lines=25)
    group = Group(own)
    bot = group.asks("POST", "/bots", {"bot": {"name": "Pull", "group_id": group.id}})
    group.says("before it ran")
    # The id of a message that is none: everything since the bot was made.
    (tmp_path / "place").write_text("0")
    words = _pulls(bot, own.url, tmp_path)
    with _running(words):
        group.hears("echo: before it ran")
        group.says("hello 🧗")
        group.hears("echo: hello 🧗")
        # The server dies, and the bot comes back by itself.
        own.restarts()
        group.says("again")
        group.hears("echo: again")
    group.says("while it was away")
    with _running(words) as running:
        group.hears("echo: while it was away")
        group.asks("POST", "/bots/destroy", {"bot_id": bot["bot_id"]})
        assert running.wait(timeout=120) == 1
    texts = group.texts()
    for heard in ["before it ran", "hello 🧗", "again", "while it was away"]:
        assert texts.count(f"echo: {heard}") == 1
