/** Groups, members and messages between people whose pages are open. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { holdWire } from "../wire.js";
import { World } from "../world.js";

test("a group is made, someone is added by email, and they talk", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.createsGroup("Climbers");
  await ana.sees("Send the first message, or add people to the group.");
  await ana.opensMembers();
  await ana.adds(ben);
  await ana.sees("Ben was added.");
  await ana.page.keyboard.press("Escape");

  await ben.opens("Climbers");
  await ana.writes("rope at six");
  await ben.reads("rope at six");
  await ben.writes("I will be there");
  await ana.hasRead("rope at six", "I will be there");
  await ben.hasRead("rope at six", "I will be there");
});

test("someone is added by user id, and an unknown address becomes an invitation", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  await ana.createsGroup("Climbers");
  await ana.opensMembers();
  await ana.adds(ben, "User id", ben.id);
  await ana.sees("Ben was added.");
  await ana.page.keyboard.press("Escape");
  await ana.sees("2 members");
  await ana.adds(cleo, "Email", "nobody@example.org");
  await ana.sees("Cleo has no account here yet, and will join when they create one.");
});

test("groups sort by last activity with unread counts", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  const book = await ben.hasGroup("Book club", ana);
  await ben.says(climbers, "rope at six");
  // The line that she was added is the first she has not read.
  await ana.inList(/Climbers.*rope at six.*Unread: 2/s).waitFor();
  await ben.says(book, "chapter four");
  await ana.page.getByRole("listitem").first().filter({ hasText: "chapter four" }).waitFor();
  await ana.opens("Climbers");
  await ana.reads("rope at six");
  await ana
    .inList(/Climbers/)
    .filter({ hasNotText: "Unread" })
    .waitFor();
  await ana.inList(/Book club.*Unread: 2/s).waitFor();
  // Read on one device is read on all, also after coming back.
  await ana.page.reload();
  await ana.inList(/Book club.*Unread: 2/s).waitFor();
  await ana
    .inList(/Climbers/)
    .filter({ hasNotText: "Unread" })
    .waitFor();
});

test("typing shows until the message or a pause", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ben.hasGroup("Climbers", ana);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  const field = ben.page.getByRole("textbox", { name: "Message to Climbers" });
  // Ana's device may not listen for it yet when the first letter comes.
  const typesOn = async () => {
    await field.pressSequentially("r");
    return ana.page.locator(".head-typing").isVisible();
  };
  await becomes(typesOn, true);
  await ben.writes("rope at six");
  await ana.reads("rope at six");
  await ana.page.getByText("Ben is typing…").waitFor({ state: "detached" });
  await ana.sees("You, Ben");
});

test("older messages come while scrolling up, and nothing moves under the reader", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  for (let i = 1; i <= 90; i += 1) await ana.says(climbers, `line ${i}`);
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.reads("line 90");
  const region = ana.page.getByRole("log", { name: "Messages", exact: true });
  await region.focus();
  await ana.page.keyboard.press("Home");
  await ana.page.keyboard.press("Home");
  await ana.reads("line 41");
  await region.evaluate((node) => {
    node.scrollTop = 0;
  });
  await ana.reads("line 1");
  await ana.sees("This is the beginning of the conversation.");
  const texts = await ana.texts();
  assert.deepEqual(
    texts,
    Array.from({ length: 90 }, (_, i) => `line ${i + 1}`),
  );
});

test("a reader further up stays and sees a new message count", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  for (let i = 1; i <= 40; i += 1) await ben.says(climbers, `line ${i}`);
  await ana.opens("Climbers");
  await ana.reads("line 40");
  await ana.reads("line 1");
  const region = ana.page.getByRole("log", { name: "Messages", exact: true });
  await region.evaluate((node) => {
    node.scrollTop = node.scrollHeight / 3;
  });
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).waitFor();
  // On the screen, whatever comes or goes above: the beginning of it all may, when it is known.
  const placeOf = (/** @type {string | undefined} */ key) =>
    region.evaluate((node, known) => {
      const edge = node.getBoundingClientRect().top;
      const rows = /** @type {HTMLElement[]} */ ([...node.querySelectorAll("[data-key]")]);
      const below = (/** @type {HTMLElement} */ row) => row.getBoundingClientRect().top - edge;
      const row = rows.find((it) => (known ? it.dataset.key === known : below(it) >= 0));
      return row && { key: row.dataset.key, top: below(row) };
    }, key);
  const before = await placeOf(undefined);
  await ben.says(climbers, "line 41");
  await ana.sees(/new messages?$/);
  const after = await placeOf(before?.key);
  assert.ok(before && after && Math.abs(after.top - before.top) < 1, JSON.stringify({ before, after }));
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).click();
  await ana.line("line 41").and(ana.page.locator(":visible")).waitFor();
});

test("a removed member loses the group, and may come back", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  const wire = await holdWire(ben);
  await ben.opens("Climbers");
  const memberships = [{ id: "1", user_id: ben.id, nickname: "Ben" }];
  await wire.says(climbers, "membership.delete", { memberships, by: ana.id });
  await ben.sees("Group not found");
  await wire.says(climbers, "membership.create", { memberships, by: ana.id });
  await ben.isReading("Climbers");
  await ben.hasRead("rope at six");
});

test("a new name shows everywhere", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const wire = await holdWire(ben);
  await ben.opens("Climbers");
  const group = await ana.call("GET", `/v3/groups/${climbers.id}`);
  await wire.says(climbers, "group.update", { ...group, name: "North wall" });
  await ben.isReading("North wall");
  await ben.inList("North wall").waitFor();
});

test("someone who is added is named by a line of the system", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.brings(cleo, climbers);
  await ben.page.locator(".system").filter({ hasText: "Cleo" }).waitFor();
  await ben.sees("You, Ana, Cleo");
});

test("messages stay text, and links open without an opener", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.opens("Climbers");
  await ana.says(climbers, "<img src=x onerror=alert(1)> javascript:alert(2)");
  await ben.reads("<img src=x onerror=alert(1)> javascript:alert(2)");
  await ana.says(climbers, "see https://topo.example.org/north_(upper).");
  const link = ben.page.getByRole("link", { name: "https://topo.example.org/north_(upper)", exact: true });
  await becomes(() => link.getAttribute("href"), "https://topo.example.org/north_(upper)");
  await becomes(() => link.getAttribute("rel"), /noopener/);
});

test("on a phone one sees the list or the conversation, and goes back and forth", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.inList("Climbers").waitFor({ state: "hidden" });
  await ana.opensMembers();
  await ana.page.getByRole("link", { name: "Close details" }).click();
  await ana.page.getByRole("link", { name: "Back to all conversations" }).click();
  await ana.inList("Climbers").waitFor();
  const wider = await ana.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wider, false, "nothing is wider than the phone");
});
