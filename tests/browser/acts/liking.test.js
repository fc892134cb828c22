/** Likes: given, taken back, seen by everybody, reached by the keyboard. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a like is there at once, for everybody, and can be taken back", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.hearsNoHeart("rope at six");
  await ben.likes("rope at six");
  await ben.hears("rope at six", "❤️, 1: You");
  await becomes(() => ben.heart("rope at six").getAttribute("aria-pressed"), "true");
  await ana.hears("rope at six", "❤️, 1: Ben");
  await ana.heart("rope at six").click();
  await ben.hears("rope at six", "❤️, 2: You, Ana");
  await ben.heart("rope at six").click();
  await ana.hears("rope at six", "❤️, 1: You");
  await ben.hears("rope at six", "❤️, 1: Ana");
  await ben.page.reload();
  await ben.hears("rope at six", "❤️, 1: Ana");
});

test("direct messages are liked too", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.writesTo(ben, "on my table");
  await ana.opens("Ben");
  await ben.opens("Ana");
  await ben.likes("on my table");
  await ana.hears("on my table", "❤️, 1: Ben");
});

test("like, unlike and like again ends with a like", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.likes("rope at six");
  await ben.heart("rope at six").click();
  await ben.likes("rope at six");
  await ana.hears("rope at six", "❤️, 1: Ben");
  await ben.page.reload();
  await ben.hears("rope at six", "❤️, 1: You");
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

  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  await holds(ben.heart("rope at six"));
  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/unlike`);
  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  // What comes after it is there, so it is known.
  await ana.says(book, "page one");
  await ben.inList(/page one/).waitFor();
  await ben.page.mouse.up();
  await ben.hears("rope at six", "❤️, 2: Ana, You");

  // And in the list of conversations, where a row is drawn again with each message.
  await holds(ben.inList("Book club"));
  await ana.says(book, "page two");
  await ana.call("POST", `/v3/messages/${climbers.id}/${id}/unlike`);
  await ben.hears("rope at six", "❤️, 1: You");
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
  await ana.likes("rope at six");
  await ana.isTold("Your like could not be saved. The server cannot be reached.");
  await ana.hearsNoHeart("rope at six");
  await ana.presses("Close");
  await ana.page.getByText("Your like could not be saved.").waitFor({ state: "hidden" });
});

test("arrow keys move between the actions of messages", async (t) => {
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
  // Over the button that replies.
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await ana.page.getByRole("menuitemcheckbox", { name: "❤️" }).and(ana.page.locator(":focus")).waitFor();
  await keyboard.press("Enter");
  await ana.hears("two", "❤️, 1: You");
  // The line was drawn again; the focus is where it was.
  const more = (/** @type {string} */ text) => ana.line(text).getByRole("button", { name: "More actions" });
  const isFocused = (/** @type {string} */ text) =>
    more(text).evaluate((node) => node === document.activeElement);
  await becomes(() => isFocused("two"), true);
  await keyboard.press("ArrowDown");
  await becomes(() => isFocused("three"), true);
  await keyboard.press("ArrowDown");
  await becomes(() => isFocused("three"), true, "there is none further down");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await ana.page.getByRole("menu", { name: "Message actions" }).waitFor();
  // The one action that begins with this letter.
  await keyboard.press("e");
  await keyboard.press("Enter");
  await ana.page.getByRole("dialog", { name: "Edit message" }).waitFor();
});

test("one sees who reacted with what, and who has read a message", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const rope = await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  await ben.likes("rope at six");
  await ben.hears("rope at six", "❤️, 1: You");
  await ana.opens("Climbers");
  await ana.hears("rope at six", "❤️, 1: Ben");
  const readers = `/v3/groups/${climbers.id}/messages/${rope.id}/read_by`;
  await becomes(async () => (await ana.call("GET", readers)).read_by.length > 0, true);
  await ana.takes(ana.line("rope at six"), "About this message");
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
