"""Smaller clients as independent testers: lowerpines, pygroupmeapi, groupme-wrapper and
pygroupme, each as far as it goes.
"""

import base64

import pygroupme
import pytest
import requests
from groupme.attachments import GroupMeImage, Location
from groupme.bot import GroupMeBot, get_bot, get_bots
from lowerpines.endpoints.bot import Bot
from lowerpines.endpoints.group import Group
from lowerpines.gmi import GMI
from lowerpines.message import RefAttach
from pygroupmeapi import GroupMe

# A PNG of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Person:
    """Someone new, and what they do beside the client."""

    def __init__(self, server, name):
        self.server = server
        self.id, self.token, _ = server.registers(name)

    def posts(self, path, body):
        headers = {"X-Access-Token": self.token}
        answer = requests.post(f"{self.server.url}/v3{path}", json=body, headers=headers, timeout=120)
        assert answer.status_code == 201, answer.text
        return answer.json()["response"]

    def writes(self, to, guid, text):
        message = {"source_guid": guid, "recipient_id": to.id, "text": text}
        self.posts("/direct_messages", {"direct_message": message})


@pytest.fixture
def ana(elsewhere):
    return Person(elsewhere, "Ana")


@pytest.fixture
def ben(elsewhere):
    return Person(elsewhere, "Ben")


@pytest.fixture
def climbers(ana):
    return ana.posts("/groups", {"name": "Climbers"})["id"]


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
