/** The layout of each view at every width, from left to right and from right to left, with long names. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { covered, cutOff, squeezed, undirected } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Phones, tablets, a laptop's page at 200 % and 175 % and 133 %, and whole screens. */
const WIDTHS = [320, 390, 540, 720, 820, 1080, 1280, 1440];

const LONG = "Friederike Wolkenstein-Hohenstaufen the Elder";
const HEBREW = "שרון לוי המטפסת הוותיקה";
const KEYS = "Who has the keys?";
const LENGTHY = "The last of us brings the long rope and both of the sleeping bags, please.";

/** The texts that run the other way than a page in this language. @type {Record<string, string[]>} */
const OTHERS = { en: [HEBREW], ar: [LONG, KEYS, LENGTHY] };

/** A group of people with long names, with replies to long and short messages. */
async function people(/** @type {import("node:test").TestContext} */ t) {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  [ben.name, cleo.name] = [LONG, HEBREW];
  const group = await ana.hasGroup("Climbers of the great north wall and its car park", ben, cleo);
  for (const [author, text] of /** @type {[Person, string][]} */ ([
    [ben, KEYS],
    [cleo, LENGTHY],
  ])) {
    const meant = await author.says(group, text);
    const attachments = [{ type: "reply", reply_id: meant.id }];
    const message = { source_guid: `to-${meant.id}`, text: "ok", attachments };
    await ana.call("POST", `/v3/groups/${group.id}/messages`, { message });
  }
  await cleo.says(group, KEYS);
  return { ana, group };
}

/** What is wrong with the open view, at each width. @returns {Promise<string[]>} */
async function faults(
  /** @type {Person} */ person,
  /** @type {string} */ language,
  /** @type {string} */ name,
) {
  const view = `${language}-${name}`;
  // The panel of members lies over the conversation where both do not fit.
  const bars = name === "members" ? "aside header" : undefined;
  const found = [];
  for (const width of WIDTHS) {
    await person.page.setViewportSize({ width, height: 700 });
    await person.page.evaluate(() =>
      Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))),
    );
    const { PICTURES } = process.env;
    if (PICTURES) await person.page.screenshot({ path: `${PICTURES}/${view}-${width}.png` });
    const here = [
      ...(await cutOff(person)),
      ...(await squeezed(person)),
      ...(await covered(person, bars)),
      ...(await undirected(person, OTHERS[language])),
    ];
    found.push(...here.map((fault) => `${view} at ${width}: ${fault}`));
  }
  for (const fault of await violations(person)) found.push(`${view}: ${fault}`);
  return found;
}

for (const language of ["en", "ar"]) {
  test(`every view fits at every width, in the language ${language}`, async (t) => {
    const { ana, group } = await people(t);
    const { page } = ana;
    await page.evaluate((look) => localStorage.setItem("coterie.look", look), JSON.stringify({ language }));
    await page.reload();
    await page.locator('.side [data-state="live"]').waitFor({ state: "attached" });
    const found = [];
    /** @type {[string, string, string][]} */
    const views = [
      ["home", "/#/", ".group-from"],
      ["conversation", `/#/groups/${group.id}`, ".quote-text"],
      ["members", `/#/groups/${group.id}/members`, "aside .panel-title"],
      ["account", "/#/account", ".account h3"],
    ];
    for (const [view, path, whole] of views) {
      await ana.visits(path);
      await page.locator(whole).filter({ visible: true }).first().waitFor();
      found.push(...(await faults(ana, language, view)));
    }
    await ana.visits(`/#/groups/${group.id}`);
    await page.locator(".quote-text").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.locator(".palette-dialog input").fill("keys");
    await page.locator(".palette-said").first().waitFor();
    found.push(...(await faults(ana, language, "palette")));
    assert.deepEqual(found, []);
  });
}

test("only lists scroll, never the page", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  await ana.page.setViewportSize({ width: 1280, height: 500 });
  for (const place of [`groups/${climbers.id}/members`, "account"]) {
    await ana.visits(`/#/${place}`);
    await ana.page.getByRole("heading", { name: /^(Rules|Sessions)$/ }).waitFor();
    const moves = () =>
      ana.page.evaluate(() => {
        for (const node of document.querySelectorAll("h3, .hidden")) node.scrollIntoView();
        const { scrollHeight, clientHeight } = document.documentElement;
        const head = document.querySelector(".side")?.getBoundingClientRect().top;
        return [scrollHeight - clientHeight, head];
      });
    await becomes(moves, [0, 0], place);
  }
});
