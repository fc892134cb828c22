"""The echo bots of the guide at /docs/bots, as a newcomer gets them: downloaded from the
server, started with the id and the secret of a bot, and spoken to.
"""

import shutil
import socket
import subprocess
import sys
import time

import pytest
import requests


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
        answer = requests.request(method, self.url + path, json=body, headers=self.head, timeout=10)
        assert answer.ok, answer.text
        return answer.json()["response"]

    def says(self, text):
        message = {"source_guid": text, "text": text}
        self.asks("POST", f"/groups/{self.id}/messages", {"message": message})

    def texts(self):
        return [it["text"] for it in self.asks("GET", f"/groups/{self.id}/messages")["messages"]]

    def hears(self, text):
        for _ in range(200):
            if text in self.texts():
                return
            time.sleep(0.05)
        raise AssertionError(f"nobody said {text!r}: {self.texts()}")


@pytest.mark.parametrize(
    ("file", "program"), [("echo.py", sys.executable), ("echo.mjs", shutil.which("node"))]
)
def test_the_bot_of_the_guide_answers(server, tmp_path, file, program):
    page = requests.get(f"{server.url}/docs/bots/index.html", timeout=10)
    assert f'data-file="/docs/bots/{file}"' in page.text
    code = requests.get(f"{server.url}/docs/bots/{file}", timeout=10)
    assert code.ok and len(code.text.splitlines()) <= 20
    (tmp_path / file).write_text(code.text)

    group, port = Group(server), _free_port()
    wanted = {"name": "Echo", "group_id": group.id, "callback_url": f"http://127.0.0.1:{port}/"}
    bot = group.asks("POST", "/bots", {"bot": wanted})
    words = [program, tmp_path / file, bot["bot_id"], bot["secret"], server.url, str(port)]
    running = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    try:
        group.says("hello 🧗")
        group.hears("echo: hello 🧗")
        rotated = group.asks("POST", f"/bots/{bot['bot_id']}/secret")
        assert rotated["secret"] != bot["secret"]
        # Both sign now, so a bot that knows the old secret still answers.
        group.says("again")
        group.hears("echo: again")
        forged = {"webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
        told = requests.post(f"http://127.0.0.1:{port}/", data=b"{}", headers=forged, timeout=10)
        assert told.status_code == 401
        assert group.texts().count("echo: hello 🧗") == 1
    finally:
        running.kill()
        running.wait()
