/** Direct messages between people whose pages are open: writing, reading, being seen. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Two people who share a group. */
async function acquaintances(/** @type {import("node:test").TestContext} */ t) {
  const { world, ana, ben, climbers } = await World.climbing(t);
  return { world, ana, ben, climbers };
}

const conversation = (/** @type {Person} */ one, /** @type {Person} */ other) =>
  [one.id, other.id].sort((a, b) => Number(a) - Number(b)).join("+");

test("a chat begins from the members of a group, and both talk in it", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ana.turnsTo(ben, "Climbers");
  await ana.sees("Send the first message. Only you and Ben can read it.");
  await ana.writes("do you have my chalk?");
  await ana.knowsItIsSent("do you have my chalk?");
  await ben.inList(/^Ana.*do you have my chalk\?.*Unread: 1/s).waitFor();
  await ben.opens("Ana");
  await ben.writes("on my table");
  await ana.hasRead("do you have my chalk?", "on my table");
  await ana.inList(/^Ben.*on my table/s).waitFor();
  await ben.inList("Ana").filter({ hasNotText: "Unread" }).waitFor();
});

test("a chat begins from a message", async (t) => {
  const { ana, ben, climbers } = await acquaintances(t);
  await ben.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.line("rope at six").getByRole("button", { name: "Ben", exact: true }).click();
  await ana.page.getByRole("link", { name: "Message Ben" }).click();
  await ana.isReading("Ben");
  await ana.writes("which rope?");
  await ben.inList(/^Ana.*which rope\?/s).waitFor();
});

test("a person from a shared group is found by name", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ana.presses("New message");
  await ana.page.getByLabel("To", { exact: true }).fill("cleo");
  await ana.sees("Nobody you know here has this name.");
  await ana.page.getByLabel("To", { exact: true }).fill("be");
  await ana.page.keyboard.press("Enter");
  await ana.isReading("Ben");
  await ana.writes("found you");
  await ben.inList(/^Ana.*found you/s).waitFor();
});

test("a reload shows messages of other devices and older pages", async (t) => {
  const { ana, ben } = await acquaintances(t);
  for (let i = 1; i <= 45; i += 1) await ben.writesTo(ana, `line ${i}`);
  await ana.inList(/^Ben.*line 45.*Unread: 45/s).waitFor();
  await ana.page.reload();
  await ana.inList(/^Ben.*line 45.*Unread: 45/s).waitFor();
  await ana.opens("Ben");
  await ana.reads("line 45");
  const region = ana.page.getByRole("log", { name: "Messages", exact: true });
  await region.evaluate((node) => {
    node.scrollTop = 0;
  });
  await ana.reads("line 1");
  await ana.sees("This is the beginning of the conversation.");
  const all = Array.from({ length: 45 }, (_, i) => `line ${i + 1}`);
  await becomes(() => ana.texts(), all);
});

test("one sees what the other has read, now and after a reload", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ana.writesTo(ben, "one");
  await ana.opens("Ben");
  await ana.reads("one");
  await ben.inList(/^Ana.*Unread: 1/s).waitFor();
  const seen = ana.page.locator(".seen");
  await becomes(() => seen.count(), 0, "nobody has looked yet");
  await ben.opens("Ana");
  await ana.line("one").getByText("Seen").waitFor();
  await ana.writes("two");
  await ana.line("two").getByText("Seen").waitFor();
  await ana.line("one").getByText("Seen").waitFor({ state: "detached" });
  // A like is no message, and changes nothing about what was seen.
  await ben.likes("two");
  await ana.hears("two", "❤️, 1: Ben");
  await ana.page.reload();
  await ana.line("two").getByText("Seen").waitFor();
  await ben.enters("about:blank");
  await ana.writesTo(ben, "three");
  await ana.reads("three");
  await ana.line("two").getByText("Seen").waitFor();
  await becomes(() => seen.count(), 1, "what is not read yet is not seen");
});

test("one sees who is here and who types", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ben.writesTo(ana, "hello");
  await ana.opens("Ben");
  await ana.page.getByRole("main").getByText("Online", { exact: true }).waitFor();
  await ana.inList(/^Ben.*\(online\)/s).waitFor();
  await ben.opens("Ana");
  await ben.page.getByRole("textbox", { name: "Message to Ana" }).pressSequentially("rope");
  await ana.page.getByRole("main").getByText("Ben is typing…").waitFor();
  await ben.enters("about:blank");
  await ana.page.getByRole("main").getByText("Direct messages", { exact: true }).waitFor();
  await ana.inList("Ben").filter({ hasNotText: "online" }).waitFor();
});

test("a blocked user cannot write until unblocked", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ben.writesTo(ana, "buy my ropes");
  await ben.opens("Ana");
  await ana.opens("Ben");
  await ana.opensMembers();
  await ana.presses("Block Ben");
  await ana.sees("Ben and you can no longer send each other direct messages.");
  await ana.confirms("Block");
  await ana.sees("You blocked Ben. You cannot send each other messages here.");
  await becomes(() => ana.composer.isVisible(), false);
  await ben.writes("cheap ropes");
  await ben.isTold("This user has blocked you.");
  await ana.page.reload();
  await ana.sees("You blocked Ben.");
  await ana.presses("Unblock");
  await ana.composer.waitFor();
  const height = () => ana.composer.evaluate((field) => field.clientHeight);
  await becomes(async () => (await height()) >= 40, true, "the field is as high as before the block");
  await ben.presses("Try again");
  await ana.hasRead("buy my ropes", "cheap ropes");
});

test("a picture goes into a chat", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ana.turnsTo(ben, "Climbers");
  const chooser = ana.page.waitForEvent("filechooser");
  await ana.presses("Add a picture or file");
  await (await chooser).setFiles(fileURLToPath(new URL("../pictures/conversation.png", import.meta.url)));
  await ana.page.locator(".tray-ready").waitFor();
  await ana.presses("Send");
  await ben.inList(/^Ana.*Picture/s).waitFor();
  await ben.opens("Ana");
  await ben.page.getByRole("link", { name: "Picture from Ana" }).waitFor();
});

test("a block on another device is one here too", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ben.writesTo(ana, "hello");
  await ana.opens("Ben");
  await ana.call("POST", "/v3/blocks", { user: ana.id, otherUser: ben.id });
  await ana.sees("You blocked Ben.");
  await ana.call("POST", "/v3/blocks/delete", { user: ana.id, otherUser: ben.id });
  await ana.composer.waitFor();
});

test("a changed name appears in the chat at once", async (t) => {
  const { ana, ben } = await acquaintances(t);
  await ben.writesTo(ana, "hello");
  await ana.opens("Ben");
  for (const name of ["Benny", "Benjamin"]) {
    await ben.call("POST", "/v3/users/update", { name });
    await ana.isReading(name);
    await ana.inList(name).waitFor();
  }
  await ana.isConnected();
});

test("a new chat from another device shows the partner's name", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.writesTo(ben, "we met at the wall");
  await ana.opens("Ben");
  await ana.hasRead("we met at the wall");
});

test("an offline message is sent when the server returns", async (t) => {
  const { world, ana, ben } = await acquaintances(t);
  await ana.turnsTo(ben, "Climbers");
  await world.server.isKilled();
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await world.server.starts();
  await ben.inList(/^Ana.*into the dark/s).waitFor();
  await ana.hasRead("into the dark");
  await ana.knowsItIsSent("into the dark");
});

test("the address of a chat with a stranger says that there is none", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.visits(`/#/chats/${conversation(ana, ben)}`);
  await ana.sees("Chat not found");
  await ben.writesTo(ana, "now there is");
  await ana.hasRead("now there is");
});

test("on a phone a chat is one screen, and nothing is wider", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const ben = await world.person("Ben");
  await ben.writesTo(ana, "a long word: antidisestablishmentarianismantidisestablishmentarianism");
  await ana.opens("Ben");
  await ana.inList("Ben").waitFor({ state: "hidden" });
  const wider = await ana.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wider, false);
  await ana.page.getByRole("link", { name: "Back to all conversations" }).click();
  await ana.inList("Ben").waitFor();
});

test("the list shows that the last message was deleted", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const said = await ben.says(climbers, "rope at six");
  await ana.inList(/Climbers.*Ben: rope at six/s).waitFor();
  await ben.call("DELETE", `/v3/conversations/${climbers.id}/messages/${said.id}`);
  await ana.inList(/Climbers.*Ben: This message was deleted/s).waitFor();
  await ana.page.reload();
  await ana.inList(/Climbers.*Ben: This message was deleted/s).waitFor();
});
