/**
 * node-groupme as an independent tester: everything that it offers over HTTP and that
 * this server has. What it reads, it reads with its own code.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import groupme from "node-groupme";
import { person, world } from "./world.js";

const { Client } = groupme;

/** A client that logged in. */
async function client(who) {
  return await new Client(who.token, { websocket: false }).login();
}

/** The share link as it looks at the host that the client insists on. */
function invitation(shareUrl) {
  return new URL(new URL(shareUrl).pathname, "https://groupme.com").href;
}

test("it logs in and knows its user", async (t) => {
  const server = await world(t);
  const ana = await person(server, "Ana");
  const me = await client(ana);
  assert.equal(me.user.id, ana.id);
  assert.equal(me.user.name, "Ana");
});

test("a wrong token is refused in words that it can show", async (t) => {
  await world(t);
  await assert.rejects(client({ token: "nobody" }), /^Error: unauthorized\n/);
});

test("it creates, shows, updates and lists groups, page by page", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  for (let number = 1; number <= 12; number += 1) {
    await ana.groups.create({ name: `Crew ${number}` });
  }
  const climbers = await ana.groups.create({
    name: "Climbers",
    description: "ropes",
    share: true,
    office_mode: true,
  });
  assert.equal(climbers.officeMode, true);
  assert.match(climbers.inviteURL, new RegExp(`/join_group/${climbers.id}/[A-Za-z0-9]+$`));
  assert.equal(climbers.creatorID, ana.user.id);
  assert.equal(climbers.me.isOwner, true);
  assert.equal(climbers.me.isAdmin, true);

  const renamed = await climbers.update({ name: "Mountaineers", office_mode: false });
  assert.equal(renamed.name, "Mountaineers");
  assert.equal((await ana.groups.fetch(climbers.id)).officeMode, false);

  const page = await ana.groups.fetch({ page: 2, per_page: 5 });
  assert.equal(page.size, 5);
  const bare = await new Client(ana.token, { websocket: false }).groups.fetch({ omit_members: true });
  assert.equal(bare.first().members.cache.size, 0);

  const fresh = await client({ token: ana.token });
  assert.equal((await fresh.groups.fetch()).size, 13);
  assert.equal((await fresh.groups.fetch([climbers.id])).first().name, "Mountaineers");
  await assert.rejects(ana.groups.fetch("1"), /^Error: .*\n-- Endpoint/);
});

test("people join by link, are listed, removed, and see what they left", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  const ben = await client(await person(server, "Ben"));
  const climbers = await ana.groups.create({ name: "Climbers", share: true });

  const joined = await ben.groups.join(invitation(climbers.inviteURL));
  assert.equal(joined.id, climbers.id);
  assert.deepEqual(new Set(joined.members.cache.keys()), new Set([ana.user.id, ben.user.id]));
  assert.equal(joined.me.isAdmin, false);
  assert.equal(joined.me.canLeaveGroup, true);

  const members = await climbers.members.fetch();
  assert.equal(members.size, 2);
  const bens = members.find((member) => member.id === ben.user.id);
  assert.equal(bens.user.name, "Ben");
  assert.equal(bens.muted, false);
  assert.equal((await bens.remove()).state, "removed");
  assert.equal((await ana.groups.fetch(climbers.id)).members.cache.size, 1);
  await assert.rejects(ben.groups.fetch(climbers.id), /-- Endpoint/);

  const crew = await ana.groups.create({ name: "Crew", share: true });
  const bensCrew = await ben.groups.join(crew.id, invitation(crew.inviteURL).split("/").at(-1));
  await bensCrew.me.remove();
  const former = await ben.groups.former.fetch();
  assert.equal(former.get(crew.id).name, "Crew");
  assert.equal(former.get(crew.id).type, "former_group");
});

test("a group changes hands, and is destroyed", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  const ben = await client(await person(server, "Ben"));
  const climbers = await ana.groups.create({ name: "Climbers", share: true });
  await assert.rejects(climbers.transferOwnershipTo(ben.user.id), { statusCode: "404" });
  await assert.rejects(climbers.transferOwnershipTo(ana.user.id), { statusCode: "400" });
  const bens = await ben.groups.join(invitation(climbers.inviteURL));
  assert.equal((await climbers.transferOwnershipTo(ben.user.id)).creatorID, ben.user.id);
  await assert.rejects(climbers.transferOwnershipTo(ben.user.id), { statusCode: "403" });
  await assert.rejects(climbers.delete(), /-- Endpoint/);
  await bens.delete();
  assert.equal((await (await client({ token: ben.token })).groups.fetch()).size, 0);
});

test("messages are sent, paged in every direction, and read to the first", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  const climbers = await ana.groups.create({ name: "Climbers" });
  assert.equal((await climbers.messages.fetch()).size, 0);
  const sent = [];
  for (let number = 1; number <= 25; number += 1) {
    sent.push(await climbers.send(`rope ${number} ❤️`));
  }
  const ids = sent.map((message) => message.id);
  const within = async (page) => {
    const found = await climbers.messages.fetch(page);
    return new Set(found.map((message) => message.text));
  };
  const ropes = (...numbers) => new Set(numbers.map((it) => `rope ${it} ❤️`));
  assert.deepEqual(await within({ before_id: ids[5], limit: 2 }), ropes(4, 5));
  assert.deepEqual(await within({ after_id: ids[5], limit: 2 }), ropes(7, 8));
  assert.deepEqual(await within({ since_id: ids[5], limit: 2 }), ropes(24, 25));
  assert.equal((await within({})).size, 20);

  const fresh = await client({ token: ana.token });
  const group = await fresh.groups.fetch(climbers.id);
  assert.equal(group.messageCount, 25);
  assert.equal(group.lastMessage.id, ids.at(-1));
  assert.equal(group.lastMessage.text, "rope 25 ❤️");
  assert.equal(group.lastMessage.user.nickname, "Ana");
  const all = await group.messages.fetch();
  assert.deepEqual(new Set(all.keys()), new Set(ids));
  const first = all.get(ids[0]);
  assert.equal(first.user.name, "Ana");
  assert.equal(first.system, false);
  assert.deepEqual(first.attachments, []);
});

test("likes are found on the message that it reads", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  const climbers = await ana.groups.create({ name: "Climbers" });
  const rope = await climbers.send("rope at six");
  const likes = async () => (await climbers.messages.fetch({ limit: 1 })).first().likes;
  const heart = { type: "unicode", code: "❤️", user_ids: [ana.user.id] };
  const liked = await ana.rest.api("POST", `messages/${climbers.id}/${rope.id}/like`);
  assert.deepEqual(liked, { reactions: [heart] });
  assert.deepEqual((await likes()).map((who) => who.id), [ana.user.id]);
  const unliked = await ana.rest.api("POST", `messages/${climbers.id}/${rope.id}/unlike`);
  assert.deepEqual(unliked, { reactions: [] });
  assert.deepEqual(await likes(), []);
});

test("direct messages make chats, which it reads to the first message", async (t) => {
  const server = await world(t);
  const ana = await client(await person(server, "Ana"));
  const ben = await client(await person(server, "Ben"));
  const body = { source_guid: "first", recipient_id: ben.user.id, text: "hi Ben" };
  await ana.rest.api("POST", "direct_messages", { body: { direct_message: body } });

  assert.equal((await ben.chats.fetchChats({})).size, 1);
  const chat = ben.chats.cache.first();
  assert.equal(chat.id, ana.user.id, "a string, as this client compares it");
  assert.equal(chat.recipient.name, "Ana");
  assert.equal(chat.conversationID, `${ana.user.id}+${ben.user.id}`);
  assert.equal(chat.lastMessage.text, "hi Ben");
  assert.equal(chat.messageCount, 1);

  for (let number = 1; number <= 3; number += 1) await chat.send(`hi Ana ${number}`);
  const newest = await chat.messages.fetch({ limit: 1 });
  assert.deepEqual(newest.map((it) => it.text), ["hi Ana 3"]);
  const all = await chat.messages.fetch();
  assert.deepEqual(
    new Set(all.map((it) => it.text)),
    new Set(["hi Ben", "hi Ana 1", "hi Ana 2", "hi Ana 3"]),
  );
});
