"""Groupy (PyPI GroupyAPI) as an independent tester.

It builds its objects with keyword arguments, so a field or a key that should not be
there fails as loudly as one that is missing.
"""

import base64
import io
import time

import pytest
from groupy import Client
from groupy.api.attachments import Emoji, Location, Mentions, Split
from groupy.api.messages import DirectMessages
from groupy.exceptions import BadResponse, MissingMembershipError
from groupy.utils import parse_share_url

# A PNG of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

TEXTS = [f"rope {number} ❤️" for number in range(1, 26)]


@pytest.fixture
def people(elsewhere):
    """Ana and Ben, new in every test."""
    return [Client.from_token(elsewhere.registers(name)[1]) for name in ("Ana", "Ben")]


@pytest.fixture
def ana(people):
    return people[0]


@pytest.fixture
def ben(people):
    return people[1]


@pytest.fixture
def climbers(ana, ben):
    """A group of both, as Ana sees it."""
    group = ana.groups.create("Climbers", description="ropes", share=True)
    ben.groups.join(*parse_share_url(group.share_url))
    group.refresh_from_server()
    return group


def texts(messages):
    return [message.text for message in messages]


def test_it_knows_and_updates_its_user(ana):
    assert ana.user.me["name"] == "Ana"
    assert ana.user.me["id"] == ana.user.me["user_id"]
    assert ana.user.update(name="Anna")["name"] == "Anna"
    assert ana.user.get_me()["name"] == "Anna"


def test_a_wrong_token_is_refused_in_words(elsewhere):
    with pytest.raises(BadResponse, match="^HTTP 401: unauthorized$"):
        Client.from_token("nobody").groups.list()


def test_sms_mode_turns_on_and_off(ana):
    assert ana.user.sms_mode.enable(duration=4, registration_id="a phone")
    assert ana.user.get_me()["sms"] is True
    assert ana.user.sms_mode.disable()
    assert ana.user.get_me()["sms"] is False


def test_groups_are_created_shown_and_paged(ana):
    created = [ana.groups.create(f"Crew {number}").id for number in range(1, 13)]
    listed = list(ana.groups.list_all(per_page=5))
    assert sorted(group.id for group in listed) == sorted(created)
    assert len(ana.groups.list(page=3, per_page=5).items) == 2
    bare = ana.groups.list(omit="memberships").items[0]
    assert bare.members == []
    shown = ana.groups.get(created[0])
    assert (shown.name, shown.is_mine, shown.office_mode) == ("Crew 1", True, False)


def test_a_group_is_updated_and_destroyed(ana, climbers):
    changed = climbers.update(name="Mountaineers", description="peaks", office_mode=True)
    assert (changed.name, changed.description, changed.office_mode) == ("Mountaineers", "peaks", True)
    kept = climbers.update()
    assert (kept.name, kept.description) == ("Climbers", "peaks")
    assert climbers.destroy()
    with pytest.raises(BadResponse, match="^HTTP 404"):
        ana.groups.get(climbers.id)


def test_office_mode_is_asked_for_at_creation(ana):
    assert ana.groups.create("Office", office_mode=True).office_mode is True


def test_people_leave_see_former_groups_and_rejoin(ben, climbers):
    bens = ben.groups.get(climbers.id)
    assert bens.is_mine is False
    assert bens.leave()
    (former,) = ben.groups.list_former()
    assert former == climbers
    with pytest.raises(MissingMembershipError):
        former.get_membership()
    rejoined = former.rejoin()
    rejoined.refresh_from_server()
    assert rejoined.get_membership().nickname == "Ben"
    assert ben.groups.list_former() == []


def test_a_group_changes_hands(ana, ben, climbers):
    me, other = ana.user.me["id"], ben.user.me["id"]
    assert climbers.change_owners(me).status == "400"
    assert climbers.change_owners("1").status == "404"
    assert climbers.change_owners(other).is_success
    assert climbers.change_owners(other).status == "403"
    assert ben.groups.get(climbers.id).is_mine is True


def are_ready(request):
    """Whether the results of adding members are there."""
    try:
        return request.is_ready()
    except BadResponse as refused:
        assert refused.response.status_code == 503
        return False


def test_members_are_added_and_told_of_in_results(elsewhere, ana, climbers):
    cal, _, _ = elsewhere.registers("Cal")
    request = climbers.memberships.add_multiple(
        {"nickname": "Callie", "user_id": cal},
        {"nickname": "Nobody", "user_id": "1"},
    )
    deadline = time.monotonic() + 120
    while not are_ready(request):
        assert time.monotonic() < deadline, "the results never come"
        time.sleep(0.02)
    (member,) = request.get().members
    assert (member.user_id, member.nickname) == (cal, "Callie")
    assert [failed["nickname"] for failed in request.get().failures] == ["Nobody"]
    assert len(ana.groups.get(climbers.id).members) == 3
    assert member.remove()
    assert len(ana.groups.get(climbers.id).members) == 2


def test_one_renames_oneself_in_a_group(ana, climbers):
    renamed = climbers.update_membership(nickname="Chalk")
    assert (renamed.nickname, renamed.user_id) == ("Chalk", ana.user.me["user_id"])
    assert ana.groups.get(climbers.id).get_membership().nickname == "Chalk"


def test_messages_are_posted_and_paged_in_every_direction(ana):
    group = ana.groups.create("Climbers")
    assert list(group.messages.list_all()) == []
    posted = [group.post(text=text) for text in TEXTS]
    assert texts(group.messages.list()) == TEXTS[:4:-1]
    assert texts(group.messages.list_all()) == TEXTS[::-1]
    middle = posted[5].id
    assert texts(group.messages.list_before(middle)) == TEXTS[4::-1]
    assert texts(group.messages.list_after(middle, limit=2)) == TEXTS[6:8]
    assert texts(group.messages.list_all_after(middle, limit=4)) == TEXTS[6:]
    assert texts(group.messages.list_since(middle, limit=2)) == TEXTS[:22:-1]


def test_the_same_guid_is_refused(climbers):
    climbers.messages.create(text="rope", source_guid="once")
    with pytest.raises(BadResponse, match="^HTTP 409"):
        climbers.messages.create(text="rope", source_guid="once")


def test_attachments_come_back_as_they_went(ana, climbers):
    sent = [
        Location(lat="47.1", lng="8.5", name="the crag"),
        Split(token="SPLIT_TOKEN"),
        Emoji(placeholder="☃", charmap=[[1, 42], [2, 34]]),
        Mentions(loci=[[0, 3]], user_ids=[ana.user.me["id"]]),
    ]
    climbers.post(text="Ana ☃ look", attachments=sent)
    heard = climbers.messages.list(limit=1).items[0].attachments
    assert [type(one) for one in heard] == [type(one) for one in sent]
    assert [one.data for one in heard] == [one.data for one in sent]


def test_system_lines_are_messages_too(climbers):
    climbers.update(name="Mountaineers")
    line = climbers.messages.list(limit=1).items[0]
    assert (line.system, line.sender_type, line.sender_id) == (True, "system", "system")
    assert "Mountaineers" in line.text and line.name and line.source_guid


def test_likes_reach_the_message_and_the_leaderboards(ana, ben, climbers):
    rope = climbers.post(text="rope at six")
    bens = ben.groups.get(climbers.id)
    assert bens.messages.list(limit=1).items[0].like()
    assert climbers.messages.list(limit=1).items[0].favorited_by == [ben.user.me["id"]]
    board = climbers.leaderboard
    for period in (board.list_day, board.list_week, board.list_month, board.list_for_me):
        assert period() == [rope]
    assert bens.leaderboard.list_mine() == [rope]
    assert bens.messages.list(limit=1).items[0].unlike()
    assert board.list_day() == []


def test_direct_messages_are_posted_paged_and_liked(ana, ben, climbers):
    bens = next(member for member in climbers.members if member.nickname == "Ben")
    for text in TEXTS:
        bens.post(text=text)
    assert texts(bens.messages.list_all()) == TEXTS[::-1]
    (chat,) = ben.chats.list_all()
    assert chat.other_user["id"] == ana.user.me["id"], "a string, as clients compare it"
    assert chat.other_user["name"] == "Ana"
    assert chat.messages_count == len(TEXTS)
    newest = chat.messages.list().items[0]
    assert newest.text == chat.last_message["text"] == TEXTS[-1]
    assert newest.like()
    assert bens.messages.list().items[0].favorited_by == [ben.user.me["id"]]
    assert newest.unlike()
    assert texts(chat.messages.list_since(newest.id)) == []
    chat.post(text="see you")
    assert texts(bens.messages.list_since(newest.id)) == ["see you"]


def test_chats_are_paged(elsewhere, ana):
    for number in range(1, 4):
        other, _, _ = elsewhere.registers(f"Friend{number}")
        DirectMessages(ana.session, other).create(text=f"hi {number}")
    names = [chat.other_user["name"] for chat in ana.chats.list_all(per_page=2)]
    assert names == ["Friend3", "Friend2", "Friend1"]


def test_bots_are_created_listed_post_and_are_destroyed(ana, climbers):
    bot = climbers.create_bot("Belay")
    assert (bot.name, bot.group_id) == ("Belay", climbers.id)
    assert ana.bots.list() == [bot]
    assert bot.post("climb when ready")
    heard = climbers.messages.list(limit=1).items[0]
    assert (heard.text, heard.name, heard.sender_type) == ("climb when ready", "Belay", "bot")
    assert bot.post("look", attachments=[Location(lat="47.1", lng="8.5", name="the crag")])
    assert climbers.messages.list(limit=1).items[0].attachments[0].name == "the crag"
    assert climbers.create_bot("Second")
    assert bot.destroy()
    with pytest.raises(BadResponse, match="^HTTP 404"):
        bot.post("gone")


def test_a_bot_post_answers_as_clients_expect(ana, climbers):
    bot = climbers.create_bot("Belay")
    body = {"bot_id": bot.bot_id, "text": "on belay"}
    answer = ana.session.post(ana.bots.url + "/post", json=body)
    assert answer.status_code == 202


def test_blocks_are_made_listed_and_lifted(ana, ben, climbers):
    bens = next(member for member in climbers.members if member.nickname == "Ben")
    assert bens.is_blocked() is False
    block = bens.block()
    assert (block.user_id, block.blocked_user_id) == (ana.user.me["id"], ben.user.me["id"])
    assert ana.user.blocks.list() == [block]
    assert bens.is_blocked() is True
    assert block.exists() is True
    with pytest.raises(BadResponse, match="^HTTP 40"):
        bens.post(text="hello?")
    assert block.unblock()
    assert ana.user.blocks.list() == []
    bens.post(text="hello again")


def test_it_uploads_an_image_and_posts_it(ana, climbers):
    image = ana.images.from_file(io.BytesIO(PIXEL))
    posted = climbers.post(text="the north wall", attachments=[image])
    assert [it.url for it in posted.attachments] == [image.url]
    assert ana.images.download(image).startswith(b"\x89PNG")
