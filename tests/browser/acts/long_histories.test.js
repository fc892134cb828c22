/** Much of everything: long histories, many conversations. What it costs is counted, not timed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** The most rows of a conversation that the page may ever hold. */
const MOST_ROWS = 300;

const messages = (/** @type {Person} */ person) =>
  person.page.getByRole("log", { name: "Messages", exact: true });

async function saysMany(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {number} */ count,
) {
  for (let i = 1; i <= count; i += 1) await person.says(group, `line ${i}`);
}

/** From now on the page counts its rows after each change, and what changes. */
const counts = (/** @type {Person} */ person) =>
  person.page.evaluate(() => {
    const lines = /** @type {Element} */ (document.querySelector(".lines"));
    const seen = { rows: lines.childElementCount, touched: 0, drawn: 0 };
    Object.assign(globalThis, { seen });
    new MutationObserver((changes) => {
      seen.rows = Math.max(seen.rows, lines.childElementCount);
      for (const { addedNodes, removedNodes } of changes)
        seen.touched += addedNodes.length + removedNodes.length || 1;
    }).observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    new MutationObserver(() => {
      seen.drawn += 1;
    }).observe(lines, { childList: true });
  });

/** @returns {Promise<{ rows: number, touched: number, drawn: number }>} */
const counted = (/** @type {Person} */ person) =>
  person.page.evaluate(() => {
    const { seen } = /** @type {any} */ (globalThis);
    const now = { ...seen };
    seen.touched = 0;
    return now;
  });

/** Scrolls up until the first line of all is there. */
async function scrollsToTheBeginning(/** @type {Person} */ person) {
  await messages(person).evaluate(async (node) => {
    while (!document.querySelector(".beginning")) {
      node.scrollTop = 0;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

test("however far one scrolls, few rows are in the page, and none is left out", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await saysMany(ana, climbers, 350);
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.reads("line 350");
  await counts(ana);
  /** Notes each line that comes into the page. */
  const noted = ana.page.evaluate(async () => {
    const texts = new Set();
    const note = () => {
      for (const words of document.querySelectorAll(".line .words")) texts.add(words.textContent);
    };
    while (!document.querySelector(".beginning")) {
      note();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    note();
    return texts.size;
  });
  await scrollsToTheBeginning(ana);
  assert.equal(await noted, 350);
  await ana.reads("line 1");
  await becomes(async () => (await ana.lines.count()) < 350, true, "the newest are out of the page");
  await ana.writes("down here again");
  await ana.reads("down here again");
  await ana.line("line 1").waitFor({ state: "detached" });
  await messages(ana).press("Home");
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).waitFor();
  await messages(ana).press("End");
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).waitFor({ state: "hidden" });
  const { rows } = await counted(ana);
  assert.ok(rows <= MOST_ROWS, `${rows} rows`);
});

test("scroll momentum keeps the newest message in view", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await saysMany(ana, climbers, 100);
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.reads("line 100");
  const jump = ana.page.getByRole("button", { name: "Jump to the newest message" });
  await messages(ana).press("PageUp");
  await jump.waitFor();
  // A browser applies what is left of a scrolling with the frames after the jump.
  const stays = await messages(ana).evaluate(async (node) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const left = () => node.scrollHeight - node.scrollTop - node.clientHeight;
    node.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
    while (left() > 1) await frame();
    node.scrollTop -= 500;
    for (let frames = 0; frames < 60 && left() > 1; frames += 1) await frame();
    return left();
  });
  assert.ok(stays <= 1);
  await jump.waitFor({ state: "hidden" });
  await messages(ana).hover();
  await ana.page.mouse.wheel(0, -500);
  await jump.waitFor();
});

test("nothing moves under the reader while lines come above and below", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await saysMany(ana, climbers, 300);
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.reads("line 300");
  // Where the row is in the list: the head above it may take another row when the window changes.
  const place = (/** @type {string} */ text) =>
    ana.line(text).evaluate((row) => {
      const list = /** @type {Element} */ (row.closest(".timeline"));
      return row.getBoundingClientRect().top - list.getBoundingClientRect().top;
    });
  // What is loaded as one comes is there: none of it may pass for what scrolling brings.
  await becomes(() => messages(ana).evaluate((node) => node.scrollTop > 400), true);
  // Near the edge of what is there: more comes with the next frame.
  const { text, before, count } = await messages(ana).evaluate((node) => {
    node.scrollTop = 300;
    const edge = node.getBoundingClientRect().top;
    const all = [...node.querySelectorAll(".line")];
    const row = all.find((it) => it.getBoundingClientRect().top > edge + 200) ?? all[0];
    const words = row.querySelector(".words")?.textContent ?? "";
    return { text: words, before: row.getBoundingClientRect().top - edge, count: all.length };
  });
  await ana.page.waitForFunction((few) => document.querySelectorAll(".line").length > few, count);
  assert.ok(Math.abs((await place(text)) - before) <= 1, "older lines came");
  await ben.says(climbers, "somebody else speaks");
  await ana.sees("1 new message");
  assert.ok(Math.abs((await place(text)) - before) <= 1, "a new line came");
  await ana.page.setViewportSize({ width: 900, height: 700 });
  await ana.page.waitForFunction(() => innerWidth === 900);
  assert.ok(Math.abs((await place(text)) - before) <= 2, "the window became narrower");
});

test("one message touches as little of the page with much loaded as with little", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await saysMany(ana, climbers, 10);
  await ana.opens("Climbers");
  await ana.reads("line 10");
  await counts(ana);
  const oneMessage = async (/** @type {string} */ text) => {
    await ben.says(climbers, text);
    await ana.reads(text);
    await ana.inList(new RegExp(`Climbers.*${text}`, "s")).waitFor();
    return (await counted(ana)).touched;
  };
  await oneMessage("first of a block");
  const little = await oneMessage("with little");
  await saysMany(ana, climbers, 230);
  await ana.reads("line 230");
  await oneMessage("another block");
  await counted(ana);
  // Some twenty rows at once leave the page above, with one message of as many.
  const much = Math.min(await oneMessage("with much"), await oneMessage("with more"));
  assert.ok(much <= little + 2, `${little} nodes with little, ${much} with much`);
});

test("simultaneous messages are drawn together", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.evaluate(() => {
    const frames = { count: 0 };
    Object.assign(globalThis, { frames });
    const tick = () => {
      frames.count += 1;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await counts(ana);
  await Promise.all(Array.from({ length: 200 }, (_, i) => ben.says(climbers, `at once ${i}`)));
  await ana.page.waitForFunction(
    () => /** @type {any} */ (globalThis).seen.drawn > 0 && document.querySelectorAll(".line").length >= 60,
  );
  const { drawn } = await counted(ana);
  const frames = await ana.page.evaluate(() => /** @type {any} */ (globalThis).frames.count);
  assert.ok(drawn <= frames + 1, `${drawn} times in ${frames} frames`);
});

test("a long conversation list renders only the visible rows", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  for (let i = 1; i <= 70; i += 1) await ana.hasGroup(`Group ${i}.`);
  await ana.page.reload();
  await ana.inList("Group 70.").waitFor();
  const rows = ana.page.getByRole("navigation", { name: "Conversations" }).getByRole("listitem");
  await becomes(async () => (await rows.count()) < 40, true);
  await becomes(() => rows.first().getAttribute("aria-setsize"), "70");
  await ana.page.getByRole("searchbox", { name: "Find a conversation" }).fill("group 3.");
  await ana.opens("Group 3.");
  await ana.page.getByRole("searchbox", { name: "Find a conversation" }).fill("nothing like it");
  await ana.sees("No results.");
  await ana.page.getByRole("searchbox", { name: "Find a conversation" }).fill("");
  // The arrow keys go past what is in view.
  await ana.inList("Group 70.").focus();
  for (let step = 0; step < 45; step += 1) await ana.page.keyboard.press("ArrowDown");
  await ana.inList("Group 25.").and(ana.page.locator(":focus")).waitFor();
});

test("5000 members render only the visible rows", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.page.route("**/v3/sync*", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const [{ group }] = body.response.groups;
    for (let i = 1; i < 5_000; i += 1) {
      group.members.push({ id: `9${i}`, user_id: `8000${i}`, nickname: `Member ${i}.`, roles: ["user"] });
    }
    await route.fulfill({ response: answer, json: body });
  });
  await ana.visits(`/#/groups/${climbers.id}/members`);
  await ana.page.reload();
  await ana.sees("5000 members");
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  await becomes(async () => (await panel.getByRole("listitem").count()) < 60, true);
  await panel.getByRole("searchbox", { name: "Find a member" }).fill("member 4321.");
  await panel.getByRole("button", { name: "Member 4321.", exact: true }).waitFor();
  await panel.getByRole("searchbox", { name: "Find a member" }).fill("");
  await panel.locator(".panel-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await panel.getByRole("button", { name: "Member 4999.", exact: true }).waitFor();
  await becomes(
    async () => (await panel.getByRole("listitem").count()) < 60,
    true,
    "also at the end of the list",
  );
});
