/** The panel that searches messages: filters, pages of results, going from one to the next, and off-line. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const panel = (/** @type {Person} */ { page }) =>
  page.getByRole("complementary", { name: "Search", exact: true });
const words = (/** @type {Person} */ person) =>
  panel(person).getByRole("searchbox", { name: "Search messages" });
const results = (/** @type {Person} */ person) => panel(person).getByRole("list").getByRole("link");
const texts = (/** @type {Person} */ person) => panel(person).locator(".found-text").allTextContents();

/** The server has indexed this many messages with the word. */
const isIndexed = (/** @type {Person} */ person, /** @type {string} */ word, /** @type {number} */ count) =>
  becomes(
    async () => (await person.call("GET", `/v3/search/messages?q=${word}`).catch(() => null))?.count ?? 0,
    count,
  );

test("filters narrow a search to a sender, a place and content", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club", ben);
  await ana.says(climbers, "rope at six");
  await ben.says(climbers, "my rope: https://example.org/rope");
  await ben.says(book, "a story about rope");
  await isIndexed(ana, "rope", 3);
  await ana.opens("Climbers");
  await ana.presses("Search in this conversation");
  await words(ana).and(ana.page.locator(":focus")).waitFor();
  await words(ana).fill("rop");
  await panel(ana).getByText("2 results").waitFor();
  await becomes(() => texts(ana), ["my rope: https://example.org/rope", "rope at six"]);
  await becomes(() => results(ana).first().locator("mark").first().innerText(), "rope");
  await becomes(() => violations(ana), []);
  await panel(ana).getByLabel("In", { exact: true }).selectOption("All conversations");
  await panel(ana).getByText("3 results").waitFor();
  await results(ana).first().getByText("Book club").waitFor();
  await panel(ana).getByLabel("Sender").selectOption("Ana");
  await becomes(() => texts(ana), ["rope at six"]);
  await panel(ana).getByLabel("Sender").selectOption("Anyone");
  await panel(ana).getByLabel("Has").selectOption("Links");
  await becomes(() => texts(ana), ["my rope: https://example.org/rope"]);
  await panel(ana).getByLabel("After").fill("2100-01-01");
  await panel(ana).getByText("Nothing was found.").waitFor();
  await panel(ana).getByLabel("After").fill("");
  await panel(ana).getByLabel("Before").fill("2000-01-01");
  await panel(ana).getByText("Nothing was found.").waitFor();
});

test("all results come by pages, and arrows lead from one to the next", async (t) => {
  const world = await World.start(t, ["--rate-limit", "off"]);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  for (let at = 1; at <= 25; at += 1) await ana.says(climbers, `rope number ${at}`);
  await isIndexed(ana, "rope", 25);
  await ana.opens("Climbers");
  await ana.presses("Search in this conversation");
  await words(ana).fill("rope");
  await panel(ana).getByText("25 results").waitFor();
  await becomes(() => results(ana).count(), 20);
  await panel(ana).getByRole("button", { name: "Show more" }).click();
  await becomes(() => results(ana).count(), 25);
  await becomes(() => panel(ana).getByRole("button", { name: "Show more" }).count(), 0);
  const isAt = (/** @type {number} */ number) =>
    ana.page.locator(".line-meant").getByText(`rope number ${number}`, { exact: true }).waitFor();
  await ana.presses("Next result");
  await isAt(25);
  await ana.presses("Next result");
  await isAt(24);
  await ana.presses("Previous result");
  await isAt(25);
  await becomes(() => panel(ana).locator("[aria-current]").getByText("rope number 25").count(), 1);
  await ana.page.evaluate(() => history.back());
  await becomes(async () => new URL(ana.page.url()).hash, `#/groups/${climbers.id}/search`);
  await becomes(() => results(ana).count(), 25);
});

test("words from Go to are searched in all conversations", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await isIndexed(ana, "rope", 1);
  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("rope");
  await ana.page.getByRole("option", { name: "Search messages for rope" }).click();
  await becomes(() => words(ana).inputValue(), "rope");
  await results(ana).click();
  await ana.line("rope at six").and(ana.page.locator(":focus")).waitFor();
  await panel(ana).waitFor();
});

test("on a phone the search fills the page and leaves its arrows above the message", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  for (const text of ["rope at six", "rope at seven"]) await ana.says(climbers, text);
  await isIndexed(ana, "rope", 2);
  await ana.opens("Climbers");
  await ana.page.getByRole("link", { name: "Details", exact: true }).click();
  await ana.page.getByRole("link", { name: "Search in this conversation" }).click();
  await words(ana).fill("rope");
  await panel(ana).getByText("2 results").waitFor();
  await becomes(() => panel(ana).evaluate((node) => node.clientWidth === innerWidth), true);
  await becomes(() => violations(ana), []);
  await results(ana).first().click();
  await ana.line("rope at seven").waitFor();
  await words(ana).waitFor({ state: "hidden" });
  await ana.presses("Next result");
  await ana.page.locator(".line-meant").getByText("rope at six").waitFor();
  await panel(ana).getByRole("link", { name: "Close details" }).click();
  await panel(ana).waitFor({ state: "hidden" });
  await ana.isReading("Climbers");
});

test("without a connection the messages on this device are searched", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.says(climbers, "chalk and rope");
  await ana.opens("Climbers");
  await ana.reads("chalk and rope");
  await ana.presses("Search in this conversation");
  await ana.page.route("**/v3/search/**", (route) => route.abort());
  await words(ana).fill("rope");
  await panel(ana).getByText("No connection: only messages on this device were searched.").waitFor();
  await becomes(() => texts(ana), ["chalk and rope", "rope at six"]);
  await panel(ana).getByLabel("Sender").selectOption("Ben");
  await becomes(() => texts(ana), ["rope at six"]);
});
