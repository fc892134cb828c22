"""Smaller clients as independent testers: lowerpines, pygroupmeapi, groupme-wrapper, pygroupme,
GroupmeClient, grepme and group2p, each as far as it goes.
"""

import base64
import sys

import pygroupme
import pytest
import requests
from grepme import login
from grepme.__main__ import main as grepme
from group2p.group2p import GrouP2P
from groupme.attachments import GroupMeImage, Location
from groupme.bot import GroupMeBot, get_bot, get_bots
from GroupmeClient.client import Client
from lowerpines.endpoints.bot import Bot
from lowerpines.endpoints.group import Group
from lowerpines.gmi import GMI
from lowerpines.message import RefAttach
from pygroupmeapi import GroupMe

# A PNG of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_lowerpines_runs_a_group(ana, ben):
    gmi = GMI(ana.token)
    group = Group(gmi, name="Climbers")
    group.save()
    group.description = "ropes"
    group.save()
    group.member_add("Benny", ben.id)
    while len(group.members) < 2:
        group.refresh()
    assert group.description == "ropes"
    said = group.post("hello")
    group.post("rope, " + RefAttach(ben.id, "Benny"))
    said.like()
    said.unlike()
    assert [it.text for it in group.messages.after(said)] == ["rope, Benny"]
    group.refresh()
    assert len(group.messages.all()) == group.messages.count
    bot = Bot(gmi, group.group_id, "Tides")
    bot.save()
    bot.post("high tide")
    bot.name = "Tide"
    bot.save()
    assert [it.name for it in gmi.bots] == ["Tide"]
    bot.delete()
    group.delete()
    gmi.refresh()
    assert list(gmi.groups) == []


def test_lowerpines_writes_to_somebody(ana, ben):
    ana.writes(ben, "1", "at six")
    for person in (ana, ben):
        (chat,) = GMI(person.token).chats
        chat.post("at seven")
    assert [it.text for it in chat.messages.recent()] == ["at seven", "at seven", "at six"]


def test_pygroupmeapi_pages_through_everything(ana, ben, climbers):
    for number in range(130):
        message = {"source_guid": str(number), "text": f"rope {number}"}
        ana.posts(f"/groups/{climbers}/messages", {"message": message})
    for number in range(25):
        ana.writes(ben, str(number), f"tide {number}")
    client = GroupMe(ana.token)
    assert [chat.name for chat in client.get_chats()] == ["Ben", "Climbers"]
    group = client.get_chat("Climbers")
    texts = {message.text for message in group.get_messages(sent_after="01/01/2020")}
    assert texts.issuperset(f"rope {number}" for number in range(130))
    assert len(client.get_chat("Ben", is_dm=True).get_messages()) == 25
    assert len(client.get_messages(keyword="tide 1", suppress_warning=True)) == 11


def test_groupme_wrapper_makes_a_bot_that_sends_places_and_pictures(ana, climbers):
    kept = requests.post(
        f"{ana.server.url}/pictures", data=PIXEL, headers={"X-Access-Token": ana.token}, timeout=120
    )
    bot = GroupMeBot.create_bot(ana.token, "Tides", climbers)
    image = GroupMeImage.from_url(kept.json()["payload"]["url"], ana.token)
    bot.send_message("the hut", [Location(1.5, 2.5, "Hut"), image])
    assert [it.bot_id for it in get_bots(ana.token)] == [bot.bot_id]
    assert get_bot(ana.token, bot.bot_id).group_name == "Climbers"


def test_pygroupme_posts_as_a_bot_and_reads(ana, climbers):
    bot = ana.posts("/bots", {"bot": {"name": "Tides", "group_id": climbers}})["bot"]["bot_id"]
    assert pygroupme.gm_msg(bot, "high tide")
    page = pygroupme.gm_rec(ana.token, climbers)
    assert page["response"]["messages"][0]["text"] == "high tide"


def test_groupmeclient_runs_a_group(ana, ben):
    calls = Client(ana.token).makeCall
    group = calls("groups", "Create", name="Climbers").json()["response"]["id"]
    ropes = calls("groups", "Update", id=group, description="ropes").json()["response"]
    assert ropes["description"] == "ropes"
    benny = {"nickname": "Benny", "user_id": ben.id}
    assert calls("members", "Add", groupId=group, members=[benny]).status_code == 202
    calls("members", "Update", groupId=group, nickname="Annie")
    said = calls("messages", "Create", groupId=group, source_guid="1", text="hello")
    said = said.json()["response"]["message"]
    assert calls("messages", "Like", groupId=group, message_id=said["id"]).status_code == 200
    page = calls("messages", "Get", groupId=group, limit=5).json()["response"]["messages"]
    liked = next(message for message in page if message["id"] == said["id"])
    assert (liked["name"], liked["favorited_by"]) == ("Annie", [ana.id])
    assert calls("users", "Me").json()["response"]["id"] == ana.id
    (shown,) = calls("groups", "GetAllGroups").json()["response"]
    assert shown["id"] == group
    assert calls("groups", "Destroy", id=group).status_code == 200
    assert calls("groups", "Former").json()["response"] == []


@pytest.fixture
def greps(ana, monkeypatch, capsys, tmp_path):
    """Types a command of grepme; what it prints."""
    monkeypatch.setenv("GREPME_API_KEY", ana.token)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setattr(login, "ACCESS_TOKEN", None)

    def types(*words):
        monkeypatch.setattr(sys, "argv", ["grepme", *words])
        try:
            grepme()
        except SystemExit as end:
            assert not end.code
        return capsys.readouterr().out

    return types


def test_grepme_finds_words_in_groups_and_chats(ana, ben, climbers, greps):
    for number in range(130):
        message = {"source_guid": str(number), "text": f"rope {number}"}
        ana.posts(f"/groups/{climbers}/messages", {"message": message})
    for number in range(25):
        ana.writes(ben, str(number), f"tide {number}")
    assert greps("--list") == "Climbers\n"
    assert greps("--no-color", "-q", "rope 1$", "-g", "Climbers") == "--- Climbers ---\nrope 1\n"
    found = greps("--no-color", "tide [12]$", "-g", "Ben")
    assert found == "--- Ben ---\nAna: tide 2\nAna: tide 1\n"
    assert greps("--no-color", "--liked", "rope", "-g", "Climbers") == "--- Climbers ---\n"


def test_group2p_lets_two_play(ana, ben):
    # All of one program share a connection, so one after the other plays.
    one = GrouP2P(ana.token)
    assert one.userID == ana.id
    game = one.create_group("Game").json()["response"]["id"]
    invitation = one.get_share_token(game)
    two = GrouP2P(ben.token)
    assert two.join_group(game, invitation).status_code == 201
    assert two.send("e4", game).status_code == 201
    assert two.receive(game)[-1]["text"] == "e4"
    assert GrouP2P(ana.token).delete_group(game).status_code == 200
