/**
 * What happened, in words: in English as the server says it, and as it came where it is not known.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine } from "../../../static/js/text/one_line.js";
import { isSaidByCard, saidIn } from "../../../static/js/text/system_line.js";

const ana = { id: 10, nickname: "Ana" };
const ben = { id: 11, nickname: "Ben" };

const line = (/** @type {string} */ type, /** @type {object} */ data, facts = {}) => ({
  text: "as it came",
  system: true,
  attachments: [],
  event: { type, data },
  ...facts,
});
const said = (/** @type {string} */ type, /** @type {object} */ data) => saidIn(line(type, data));

test("English system lines equal the server's text", () => {
  const event = { id: "1", name: "North wall" };
  for (const [type, data, words] of /** @type {[string, object, string][]} */ ([
    ["membership.announce.added", { adder_user: ana, added_users: [ben] }, "Ana added Ben to the group."],
    ["membership.announce.joined", { user: ben }, "Ben has joined the group."],
    ["membership.announce.rejoined", { user: ben }, "Ben has rejoined the group."],
    ["membership.notifications.exited", { removed_user: ben }, "Ben has left the group."],
    [
      "membership.notifications.removed",
      { remover_user: ana, removed_user: ben },
      "Ana removed Ben from the group.",
    ],
    ["membership.nickname_changed", { user: ben, name: "Benny" }, "Ben changed name to Benny."],
    ["group.name_change", { user: ana, name: "Peaks" }, "Ana changed the group's name to Peaks."],
    ["group.topic_change", { user: ana, topic: "ropes" }, "Ana changed the topic to: ropes"],
    ["group.avatar_change", { user: ana, avatar_url: null }, "Ana changed the group's picture."],
    ["group.type_change", { user: ana, type: "closed" }, "Ana changed the group's type to closed."],
    ["group.slow_mode_change", { user: ana, slow_mode: 30 }, "Ana set slow mode to 30 seconds."],
    ["group.slow_mode_change", { user: ana, slow_mode: 60 }, "Ana set slow mode to 1 minute."],
    ["group.slow_mode_change", { user: ana, slow_mode: 0 }, "Ana switched slow mode off."],
    ["group.role_change_admin", { user: ana, role: "admin", member: ben }, "Ana made Ben an admin."],
    ["group.role_change_admin", { user: ana, role: "user", member: ben }, "Ana removed Ben as an admin."],
    ["group.office_mode_enabled", { user: ana }, "Ana switched office mode on."],
    ["group.office_mode_disabled", { user: ana }, "Ana switched office mode off."],
    ["group.archived", { user: ana }, "Ana archived the group."],
    ["group.unarchived", { user: ana }, "Ana took the group out of the archive."],
    ["group.frozen", { reason: "spam" }, "The operators of this server have frozen the group: spam"],
    ["group.unfrozen", {}, "The operators of this server ended the freeze of the group."],
    ["group.visibility_set.hidden", { user: ana }, "Ana took the group out of the directory."],
    ["group.shared", { user: ana, share_url: "x" }, "Ana switched the share link on."],
    ["group.unshared", { user: ana }, "Ana switched the share link off."],
    ["group.owner_changed", { old_owner: ana, new_owner: ben }, "Ana made Ben the owner of the group."],
    ["bot.add", { user: ana, bot: "Weather" }, "Ana added the Weather bot."],
    ["bot.del", { user: ana, bot: "Weather" }, "Ana removed the Weather bot."],
    ["message.deleted", { user: ana, message_id: "1" }, "Ana deleted a message."],
    ["message.pinned", { user: ana, pinned: true }, "Ana pinned a message."],
    ["message.pinned", { user: ana, pinned: false }, "Ana unpinned a message."],
    ["poll.created", { poll: { subject: "When?" }, user: ana }, "Created new poll 'When?'"],
    [
      "poll.finished",
      {
        poll: { subject: "When?" },
        options: [
          { title: "six", votes: 2 },
          { title: "seven", votes: 0 },
        ],
      },
      "The poll 'When?' has ended: six 2, seven 0.",
    ],
    ["calendar.event.created", { event, user: ana }, "Created event 'North wall'"],
    ["calendar.event.updated", { event, user: ana }, "Ana changed the event 'North wall'."],
    ["calendar.event.cancelled", { event, user: ana }, "Ana cancelled the event 'North wall'."],
    ["calendar.event.user.going", { event, user: ana }, "Ana is going to 'North wall'."],
    ["calendar.event.user.not_going", { event, user: ana }, "Ana is not going to 'North wall'."],
    ["calendar.event.user.undecided", { event, user: ana }, "Ana is undecided about 'North wall'."],
    ["calendar.event.starting", { event, minutes: "0" }, "'North wall' is starting now."],
    ["calendar.event.starting", { event, minutes: "1" }, "'North wall' starts in 1 minute."],
    ["calendar.event.starting", { event, minutes: "15" }, "'North wall' starts in 15 minutes."],
    ["calendar.event.starting", { event, minutes: "120" }, "'North wall' starts in 2 hours."],
    ["calendar.event.starting", { event, minutes: "2880" }, "'North wall' starts in 2 days."],
  ])) {
    assert.equal(said(type, data), words, type);
  }
});

test("a long list of added members is shortened", () => {
  const added = Array.from({ length: 15 }, (_, at) => ({ id: at, nickname: `P${at}` }));
  const words = said("membership.announce.added", { adder_user: ana, added_users: added });
  assert.match(words, /^Ana added P0, .*P11 and 3 others to the group\.$/);
});

test("unknown system lines stay unchanged", () => {
  assert.equal(said("group.exploded", { user: ana }), "as it came");
  assert.equal(said("toString", {}), "as it came");
  assert.equal(said("membership.announce.joined", {}), "as it came");
  assert.equal(saidIn({ text: "rope at six" }), "rope at six");
  const edited = { created_at: 1, edited_at: 1, text: "When, then?" };
  assert.equal(saidIn(line("poll.created", { poll: { subject: "When?" } }, edited)), "When, then?");
});

test("a line about a deleted poll or event has words without its name", () => {
  const event = { id: "1", name: "" };
  for (const [type, data, words] of /** @type {[string, object, string][]} */ ([
    ["poll.finished", { poll: { id: "1", subject: "" }, options: [] }, "A poll has ended."],
    ["calendar.event.updated", { event, user: ana }, "Ana changed an event."],
    ["calendar.event.cancelled", { event, user: ana }, "Ana cancelled an event."],
    ["calendar.event.user.going", { event, user: ben }, "Ben is going to an event."],
    ["calendar.event.user.not_going", { event, user: ben }, "Ben is not going to an event."],
    ["calendar.event.user.undecided", { event, user: ben }, "Ben is undecided about an event."],
    ["calendar.event.starting", { event, minutes: "15" }, "An event starts soon."],
  ]))
    assert.equal(said(type, data), words);
});

test("lists show what happened, names as they are, and words without signs", () => {
  const renamed = line("group.name_change", { user: ana, name: "*Peaks*" });
  assert.equal(oneLine(renamed), "Ana changed the group's name to *Peaks*.");
  assert.equal(oneLine({ text: "see **this**\n- and that", attachments: [] }), "see this and that");
  assert.equal(oneLine({ text: null, attachments: [{ type: "image", url: "u" }] }), "Picture");
});

test("a card replaces its system line", () => {
  const made = line("poll.created", { poll: { subject: "When?" } });
  const facts = { ...made, created_at: 1, attachments: [{ type: "poll", poll_id: "1" }] };
  assert.equal(isSaidByCard(facts), true);
  assert.equal(isSaidByCard({ ...facts, edited_at: 1 }), false);
  assert.equal(isSaidByCard({ ...facts, attachments: [] }), false);
  assert.equal(isSaidByCard({ ...facts, event: { ...made.event, type: "poll.finished" } }), false);
});
