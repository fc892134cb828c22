/** The npm package `groupme` as an independent tester: everything that it asks over HTTP. */

import assert from "node:assert/strict";
import { test } from "node:test";
import groupme from "groupme";
import { person, world } from "./world.js";

const { Stateless } = groupme;

test("it runs a group", async (t) => {
  const server = await world(t);
  const [ana, ben] = [await person(server, "Ana"), await person(server, "Ben")];
  const { Users, Groups, Members } = Stateless;
  assert.equal((await Users.me.Q(ana.token)).id, ana.id);
  const { id } = await Groups.create.Q(ana.token, { name: "Climbers" });
  assert.equal((await Groups.update.Q(ana.token, id, { description: "ropes" })).description, "ropes");
  await Members.add.Q(ana.token, id, { members: [{ nickname: "Benny", user_id: ben.id }] });
  // He is let in while that is answered: 202 says no more.
  const added = async () => {
    const { members } = await Groups.show.Q(ana.token, id);
    return members.find((/** @type {{ user_id: string }} */ { user_id }) => user_id === ben.id);
  };
  let benny = await added();
  while (!benny) benny = await added();
  assert.equal(await Members.remove.Q(ana.token, id, benny.id), 200);
  assert.deepEqual(
    (await Groups.index.Q(ana.token)).map((group) => group.id),
    [id],
  );
  assert.equal(await Groups.destroy.Q(ana.token, id), 200);
  assert.deepEqual(await Groups.former.Q(ana.token), []);
});

test("it writes, reads and likes in groups and chats", async (t) => {
  const server = await world(t);
  const [ana, ben] = [await person(server, "Ana"), await person(server, "Ben")];
  const { Groups, Messages, Likes, DirectMessages, Chats } = Stateless;
  const { id } = await Groups.create.Q(ana.token, { name: "Climbers" });
  const { message } = await Messages.create.Q(ana.token, id, { message: { text: "hello" } });
  assert.equal(await Likes.create.Q(ana.token, id, message.id), 200);
  const [newest] = (await Messages.index.Q(ana.token, id, { limit: 1 })).messages;
  assert.deepEqual([newest.text, newest.favorited_by], ["hello", [ana.id]]);
  assert.equal(await Likes.destroy.Q(ana.token, id, message.id), 200);
  const words = { recipient_id: ben.id, text: "at six" };
  await DirectMessages.create.Q(ana.token, { direct_message: words });
  const read = await DirectMessages.index.Q(ben.token, { other_user_id: ana.id });
  assert.equal(read.direct_messages[0].text, "at six");
  assert.equal((await Chats.index.Q(ben.token, {}))[0].other_user.name, "Ana");
});

test("it has a bot speak, and lists polls", async (t) => {
  const server = await world(t);
  const ana = await person(server, "Ana");
  const { Groups, Messages, Bots, Polls } = Stateless;
  const { id } = await Groups.create.Q(ana.token, { name: "Climbers" });
  const { bot_id } = (await Bots.create.Q(ana.token, "Tides", id, {})).bot;
  assert.equal(await Bots.post.Q(ana.token, bot_id, "high tide", {}), 202);
  assert.equal((await Messages.index.Q(ana.token, id, {})).messages[0].text, "high tide");
  assert.deepEqual(
    (await Bots.index.Q(ana.token)).map((bot) => bot.name),
    ["Tides"],
  );
  assert.equal(await Bots.destroy.Q(ana.token, bot_id), 200);
  // It takes nothing but 200 for a success; a poll that was made is answered 201.
  const asked = { subject: "When?", options: ["six", "seven"] };
  await assert.rejects(Polls.create.Q(ana.token, id, asked), { statusCode: 201 });
  assert.equal((await Polls.index.Q(ana.token, id, null)).polls[0].data.subject, "When?");
});
