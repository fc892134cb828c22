/** Likes: given, taken back, seen by everybody, reached by the keyboard. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a like is there at once, for everybody, and can be taken back", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.hears("rope at six", "Like");
  await ben.heart("rope at six").click();
  await ben.hears("rope at six", "Like, 1 like: You");
  await becomes(() => ben.heart("rope at six").getAttribute("aria-pressed"), "true");
  await ana.hears("rope at six", "Like, 1 like: Ben");
  await ana.heart("rope at six").click();
  await ben.hears("rope at six", "Like, 2 likes: You, Ana");
  await ben.heart("rope at six").click();
  await ana.hears("rope at six", "Like, 1 like: You");
  await ben.hears("rope at six", "Like, 1 like: Ana");
  await ben.page.reload();
  await ben.hears("rope at six", "Like, 1 like: Ana");
});

test("direct messages are liked too", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.writesTo(ben, "on my table");
  await ana.opens("Ben");
  await ben.opens("Ana");
  await ben.heart("on my table").click();
  await ana.hears("on my table", "Like, 1 like: Ben");
});

test("like, unlike and like again ends with a like", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  for (let presses = 0; presses < 3; presses += 1) await ben.heart("rope at six").click();
  await ana.hears("rope at six", "Like, 1 like: Ben");
  await ben.page.reload();
  await ben.hears("rope at six", "Like, 1 like: You");
});

test("updates during a press do not cancel the click", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club", ben);
  const { id } = await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  const holds = async (/** @type {import("playwright-core").Locator} */ button) => {
    await button.hover();
    await ben.page.mouse.down();
  };

  await holds(ben.heart("rope at six"));
  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  // What comes after it is there, so it is known.
  await ana.says(book, "page one");
  await ben.inList(/page one/).waitFor();
  await ben.page.mouse.up();
  await ben.hears("rope at six", "Like, 2 likes: Ana, You");

  // And in the list of conversations, where a row is drawn again with each message.
  await holds(ben.inList("Book club"));
  await ana.says(book, "page two");
  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/unlike`);
  await ben.hears("rope at six", "Like, 1 like: You");
  await ben.page.mouse.up();
  await ben.isReading("Book club");
  await ben.reads("page two");
});

test("a like that could not be saved goes away, with a reason", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.page.route(/\/like$/, (route) => route.abort());
  await ana.heart("rope at six").click();
  await ana.isTold("Your like could not be saved. The server cannot be reached.");
  await ana.hears("rope at six", "Like");
  await ana.presses("Close");
  await ana.page.getByText("Your like could not be saved.").waitFor({ state: "hidden" });
});

test("arrow keys move between the like buttons", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  for (const text of ["one", "two", "three"]) await ana.says(climbers, text);
  await ana.opens("Climbers");
  await ana.reads("three");
  const { keyboard } = ana.page;
  await ana.composer.focus();
  // Back over the buttons that record and that add pictures.
  await keyboard.press("Shift+Tab");
  await keyboard.press("Shift+Tab");
  await keyboard.press("Shift+Tab");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await ana.hears("two", "Like, 1 like: You");
  // The line was drawn again; the focus is where it was.
  const isFocused = (/** @type {string} */ text) =>
    ana.heart(text).evaluate((node) => node === document.activeElement);
  await becomes(() => isFocused("two"), true);
  await keyboard.press("ArrowDown");
  await becomes(() => isFocused("three"), true);
  await keyboard.press("ArrowDown");
  await becomes(() => isFocused("three"), true, "there is none further down");
  // Over the buttons that answer, react and pin.
  for (let step = 0; step < 4; step += 1) await keyboard.press("ArrowRight");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await ana.page.getByRole("dialog", { name: "Edit message" }).waitFor();
});

test("one sees who reacted with what, and who has read a message", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const rope = await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  await ben.heart("rope at six").click();
  await ben.hears("rope at six", "Like, 1 like: You");
  await ana.opens("Climbers");
  await ana.hears("rope at six", "Like, 1 like: Ben");
  const readers = `/v3/groups/${climbers.id}/messages/${rope.id}/read_by`;
  await becomes(async () => (await ana.call("GET", readers)).read_by.length > 0, true);
  await ana.line("rope at six").hover();
  await ana.line("rope at six").getByRole("button", { name: "About this message" }).click();
  const about = ana.page.getByRole("dialog", { name: "About this message" });
  await about.getByRole("region", { name: "Reactions" }).getByText("Ben").waitFor();
  await about.getByRole("region", { name: "Read by" }).getByText("Ben").waitFor();
});

test("the most liked messages are listed", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "nobody likes this");
  const rope = await ana.says(climbers, "rope at six");
  const chalk = await ben.says(climbers, "I have chalk");
  for (const [who, what] of /** @type {const} */ ([
    [ana, rope],
    [ben, rope],
    [ana, chalk],
  ]))
    await who.call("POST", `/v3/messages/${climbers.id}/${what.id}/like`);
  await ben.opens("Climbers");
  await ben.opensMembers();
  await ben.presses("Most liked");
  const liked = ben.page.getByRole("dialog", { name: "Most liked" });
  const texts = () => liked.locator(".pinned-text").allTextContents();
  await becomes(texts, ["rope at six", "I have chalk"]);
  await liked.getByText("2 likes").waitFor();
  await liked.getByRole("radio", { name: "Mine" }).check();
  await becomes(texts, ["I have chalk"]);
  await liked.getByRole("link", { name: /I have chalk/ }).click();
  await liked.waitFor({ state: "detached" });
  await ben.line("I have chalk").and(ben.page.locator(":focus")).waitFor();
});
