/** What becomes of a message between Enter and the log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Route} Route */

/** Decides what becomes of this person's next posts; everything else passes. */
async function onPost(/** @type {Person} */ person, /** @type {(route: Route) => unknown} */ decide) {
  await person.page.route("**/messages", (route) =>
    route.request().method() === "POST" ? decide(route) : route.continue(),
  );
}

const unanswered = (/** @type {Person} */ person) => person.page.unrouteAll({ behavior: "ignoreErrors" });

test("a message shows at once, before the server has answered", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  /** @type {(route: Route) => void} */
  let arrived = () => {};
  const held = new Promise((/** @type {(route: Route) => void} */ resolve) => {
    arrived = resolve;
  });
  await onPost(ana, (route) => arrived(route));
  await ana.writes("rope at six");
  await ana.line("rope at six").getByText("Sending").waitFor({ state: "attached" });
  await (await held).continue();
  await ana.knowsItIsSent("rope at six");
  await ana.hasRead("rope at six");
});

test("an unsent message shows its state and is sent automatically", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await onPost(ana, (route) => route.abort());
  await ana.writes("rope at six");
  await ana.sees("Waiting. It will be sent automatically.");
  await ben.says(climbers, "anyone?");
  await ana.reads("anyone?");
  await unanswered(ana);
  await ben.hasRead("anyone?", "rope at six");
  await ana.hasRead("anyone?", "rope at six");
});

test("a message that did not arrive can be dropped", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await onPost(ana, (route) => route.abort());
  await ana.writes("rope at six");
  await ana.presses("Delete");
  await ana.line("rope at six").waitFor({ state: "detached" });
});

test("when only the answer was lost, trying again does not say it twice", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  let attempts = 0;
  await onPost(ana, async (route) => {
    attempts += 1;
    if (attempts > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await ana.writes("rope at six");
  await ana.knowsItIsSent("rope at six");
  await ana.writes("and coffee");
  await ben.hasRead("rope at six", "and coffee");
  await ana.hasRead("rope at six", "and coffee");
});

test("a guid that the server has seen already counts as sent", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await onPost(ana, (route) =>
    route.fulfill({
      status: 409,
      json: { response: null, meta: { code: 409, errors: ["this source_guid was already used"] } },
    }),
  );
  await ana.writes("rope at six");
  await ana.page.locator(".line.sent").getByText("rope at six").waitFor();
  await becomes(() => ana.page.getByRole("alert").filter({ visible: true }).count(), 0);
});

test("a server error shows its text", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await onPost(ana, (route) =>
    route.fulfill({ status: 400, json: { response: null, meta: { code: 400, errors: ["text is odd"] } } }),
  );
  await ana.writes("rope at six");
  await ana.isTold("Not sent. Text is odd.");
});

test("messages arrive in the order in which they were written", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  const words = Array.from({ length: 8 }, (_, i) => `line ${i + 1}`);
  for (const word of words) await ana.writes(word);
  await ben.hasRead(...words);
});

test("near the limit the rest is counted, beyond it nothing is sent", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.composer.fill("\u{1F9D7}".repeat(950));
  await ana.sees("50 left");
  await ana.writes("\u{1F9D7}".repeat(1001));
  await ana.sees("1 too many");
  await becomes(() => ana.lines.count(), 0);
  await ana.writes("\u{1F9D7}".repeat(1000));
  await ana.knowsItIsSent("\u{1F9D7}".repeat(1000));
});

test("Shift and Enter make a new line, and each group keeps its draft", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.createsGroup("Book club");
  await ana.composer.pressSequentially("chapter");
  await ana.composer.press("Shift+Enter");
  await ana.composer.pressSequentially("four");
  await ana.opens("Climbers");
  await becomes(() => ana.composer.inputValue(), "");
  await ana.opens("Book club");
  await becomes(() => ana.composer.inputValue(), "chapter\nfour");
  await ana.composer.press("Enter");
  await ana.knowsItIsSent("chapter\nfour");
});

test("waiting messages survive a reload and are sent once", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await onPost(ana, (route) => route.abort());
  await ana.writes("rope at six");
  await ana.writes("and coffee");
  await ana.page.locator(".line.waiting").nth(1).waitFor();
  await ana.page.reload();
  await ana.page.locator(".line.waiting").nth(1).waitFor();
  await unanswered(ana);
  await ben.hasRead("rope at six", "and coffee");
  await ana.hasRead("rope at six", "and coffee");
  await ana.page.reload();
  await ana.hasRead("rope at six", "and coffee");
});

test("a draft survives a reload, and goes with the log-out", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.composer.fill("half a thought");
  await ana.page.reload();
  await ana.isReading("Climbers");
  await becomes(() => ana.composer.inputValue(), "half a thought");
  // A log-out asks first while the server does not have the draft.
  const sent = () => Object.entries(localStorage).find(([key]) => key.startsWith("coterie.drafted."))?.[1];
  await becomes(() => ana.page.evaluate(sent), "half a thought");
  await ana.logsOut();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  const left = await ana.page.evaluate(() => Object.values(localStorage).join());
  assert.doesNotMatch(left, /half a thought/);
});
