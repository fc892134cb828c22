"""Programs for bots as independent testers: BotMe, and groupme-bot with its web application."""

import base64
import threading
import time

import groupme_bot
import pytest
import uvicorn
from BotMe.main import Manager

# A PNG of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_botme_makes_a_bot_that_sends_words_and_pictures(ana, climbers, tmp_path, monkeypatch):
    manager = Manager(ana.token)
    manager.create_bot("Tides", "Climbers")
    manager.post_message("high tide")
    again = Manager(ana.token)
    again.start_bot("Tides")
    assert (again.bot_id, again.group_id) == (manager.bot_id, climbers)
    assert again.retrieve_message() == ("Tides", "high tide")
    (tmp_path / "tide.png").write_bytes(PIXEL)
    monkeypatch.chdir(tmp_path)
    again.post_picture("tide.png", "look")
    newest = ana.newest(climbers)
    assert (newest["text"], newest["attachments"][0]["type"]) == ("look", "image")


@pytest.fixture
def listens():
    """Runs a web application; its address."""
    running = []

    def runs(application):
        server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error"))
        thread = threading.Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        deadline = time.monotonic() + 120
        while not server.started:
            assert thread.is_alive() and time.monotonic() < deadline
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    yield runs
    for server, thread in running:
        server.should_exit = True
        thread.join()


def test_groupme_bot_answers_and_mentions_everybody(ana, climbers, listens):
    application, heard = groupme_bot.Application(), threading.Event()
    address = listens(application)
    wanted = {"name": "Tides", "group_id": climbers, "callback_url": f"{address}/tides"}
    bot_id = ana.posts("/bots", {"bot": wanted})["bot"]["bot_id"]
    bot = groupme_bot.Bot("Tides", bot_id, ana.token, climbers)

    def answers(context):
        asked = context.callback
        context.bot.post_message(
            f"{asked.name} asked, {asked.group_id == climbers}, {asked.sender_id == ana.id}"
        )
        heard.set()

    bot.add_callback_handler("^tide", answers)
    application.add_bot(bot, "/tides")
    message = {"source_guid": "1", "text": "Tide?"}
    ana.posts(f"/groups/{climbers}/messages", {"message": message})
    assert heard.wait(120)
    assert ana.newest(climbers)["text"] == "Ana asked, True, True"
    bot.post_message("the hut", [groupme_bot.LocationAttachment("Hut", 1.5, 2.5)])
    assert ana.newest(climbers)["attachments"][0]["name"] == "Hut"
    bot.mention_all()
    newest = ana.newest(climbers)
    assert (newest["text"], newest["attachments"][0]["user_ids"]) == ("@Ana ", [ana.id])
