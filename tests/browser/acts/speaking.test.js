/** The client speaks the language of its people, from right to left where they read so. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** From here on, this person's page is in Arabic. */
async function readsArabic(/** @type {Person} */ person) {
  await person.page.evaluate(() => localStorage.setItem("coterie.look", '{"language":"ar"}'));
  await person.page.reload();
  await person.page.locator(".side").getByText("متصل", { exact: true }).waitFor({ state: "attached" });
}

const opens = (/** @type {Person} */ person, /** @type {string} */ group) =>
  person.page.getByRole("navigation", { name: "المحادثات" }).getByRole("link", { name: group }).click();

/** Where a message lies: the middle of its bubble, as a part of the width of its timeline. */
const middleOf = (/** @type {Person} */ person, /** @type {string} */ text) =>
  person
    .line(text)
    .locator(".bubble")
    .evaluate((bubble) => {
      const box = bubble.getBoundingClientRect();
      const all = /** @type {Element} */ (bubble.closest(".timeline")).getBoundingClientRect();
      return ((box.left + box.right) / 2 - all.left) / all.width;
    });

const isAtTheRight = async (/** @type {Person} */ person, /** @type {string} */ text) =>
  (await middleOf(person, text)) > 0.5;

/** A look at what is open. */
async function isWell(/** @type {Person} */ person, /** @type {string} */ screen) {
  await person.page.evaluate(() =>
    // One whose node has gone meanwhile never ends.
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))),
  );
  const { PICTURES } = process.env;
  if (PICTURES) await person.page.screenshot({ path: `${PICTURES}/${screen.replaceAll(" ", "-")}.png` });
  await becomes(() => cutOff(person), [], screen);
  await becomes(() => violations(person), [], screen);
}

/** A name, which turns nothing of its sentence round, whichever way it runs. */
const apart = (/** @type {string} */ name) => `\u2068${name}\u2069`;

for (const phone of [true, false]) {
  const device = phone ? "phone" : "laptop";

  test(`a conversation in Arabic reads from right to left, on a ${device}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("أمل", { phone });
    const ben = await world.person("Ben");
    const climbers = await ana.hasGroup("متسلقو الجبال", ben);
    await ben.says(climbers, "مرحبًا، هل نذهب يوم السبت إلى Yosemite؟");
    await ben.says(climbers, "I bring the rope, 60 m.");
    await ana.says(climbers, "نعم، سأقود السيارة 🚗");
    await ben.writesTo(ana, "Hello");
    await readsArabic(ana);
    const { page } = ana;
    await becomes(() => page.evaluate(() => [document.dir, document.documentElement.lang].join()), "rtl,ar");
    await isWell(ana, `${device} home`);

    await opens(ana, "متسلقو الجبال");
    await ana.reads("I bring the rope, 60 m.");
    await becomes(() => isAtTheRight(ana, "I bring the rope, 60 m."), true);
    await becomes(() => isAtTheRight(ana, "نعم، سأقود السيارة 🚗"), false, "one's own lie at the left");
    await page.getByRole("textbox", { name: `رسالة إلى ${apart("متسلقو الجبال")}` }).fill("أراكم هناك");
    await page.getByRole("button", { name: "إرسال", exact: true }).click();
    await ana.knowsItIsSent("أراكم هناك");
    await isWell(ana, `${device} conversation`);

    await page.getByRole("link", { name: "التفاصيل", exact: true }).click();
    await page.locator("aside").getByText("عضوان", { exact: true }).waitFor();
    await isWell(ana, `${device} members`);
    await page.getByRole("button", { name: "إضافة شخص", exact: true }).click();
    await page.getByRole("dialog", { name: `إضافة إلى ${apart("متسلقو الجبال")}` }).waitFor();
    await isWell(ana, `${device} window`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await ana.visits("/#/account");
    await page.getByRole("heading", { name: "المظهر" }).waitFor();
    await isWell(ana, `${device} account`);
  });
}

test("system messages appear in the reader's language", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await readsArabic(ben);
  await ana.call("POST", `/v3/groups/${climbers.id}/update`, { name: "Peaks" });
  await opens(ben, "Peaks");
  const renamed = `غيّر ${apart("Ana")} اسم المجموعة إلى ${apart("Peaks")}.`;
  await ben.page.locator(".system").getByText(renamed).waitFor();
  await ben.page
    .locator(".system")
    .getByText(`أضاف ${apart("Ana")} إلى المجموعة: ${apart("Ben")}.`)
    .waitFor();
  await ben.page.locator(".group-preview").getByText(renamed).waitFor();
  await ana.opens("Peaks");
  await ana.sees("Ana changed the group's name to Peaks.");
});

test("opposite-direction text is cut at its end", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const name = "A group with a name that is far too long for its row";
  const group = await ana.hasGroup(name, ben);
  const nickname = "Friederike Wolkenstein-Hohenstaufen the Elder";
  await ana.call("POST", `/v3/groups/${group.id}/memberships/update`, { membership: { nickname } });
  await ana.says(group, "What is said here is longer than any row of the list of conversations");
  await readsArabic(ben);
  for (const what of [".group-name .ends", ".group-from .ends", ".group-preview > .ends"]) {
    const cut = ben.page.locator(what).first();
    await becomes(
      () =>
        cut.evaluate((node) => {
          const { direction, textOverflow } = getComputedStyle(node);
          return [direction, textOverflow, node.scrollWidth > node.clientWidth];
        }),
      ["ltr", "ellipsis", true],
      what,
    );
  }
  // What is short stands where reading begins.
  await ana.hasGroup("Peaks", ben);
  const short = ben.page.locator(".group-name .ends").getByText("Peaks", { exact: true });
  const fromTheRight = () =>
    short.evaluate((node) => {
      const row = /** @type {Element} */ (node.parentElement).getBoundingClientRect();
      return Math.round(row.right - node.getBoundingClientRect().right);
    });
  await becomes(fromTheRight, 0);
});

test("opposite-direction text aligns with its choice and title", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const options = [{ title: "at six" }, { title: "at seven, if everybody has had breakfast by then" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  await ana.call("POST", `/v3/poll/${climbers.id}`, poll);
  const times = { start_at: "2100-01-02T09:00:00Z", end_at: "2100-01-02T16:00:00Z", timezone: "UTC" };
  const event = { name: "North wall", description: "Bring a rope", is_all_day: false, ...times };
  await ana.call("POST", `/v3/conversations/${climbers.id}/events/create`, event);
  await readsArabic(ben);
  await opens(ben, "Climbers");
  /** How far the text ends from the right edge of its place. */
  const fromTheRight = (/** @type {string} */ text) =>
    ben.page
      .locator(".poll")
      .getByText(text, { exact: true })
      .evaluate((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return Math.round(node.getBoundingClientRect().right - range.getBoundingClientRect().right);
      });
  for (const text of ["at six", "North wall", "Bring a rope"])
    await becomes(() => fromTheRight(text), 0, text);
});

test("an empty field runs as the page does, and then as what is written in it", async (t) => {
  const { ana } = await World.climbing(t);
  await readsArabic(ana);
  await opens(ana, "Climbers");
  const field = ana.page.locator(".composer-input");
  const direction = () => field.evaluate((node) => getComputedStyle(node).direction);
  await becomes(direction, "rtl");
  await field.fill("rope");
  await becomes(direction, "ltr");
  await field.fill("حبل");
  await becomes(direction, "rtl");
});

test("the browser language selects the language, else English", async (t) => {
  const world = await World.start(t);
  for (const [locale, heading, dir] of [
    ["fr-CA", "Se connecter", "ltr"],
    ["ar-EG", "تسجيل الدخول", "rtl"],
    ["de-AT", "Anmelden", "ltr"],
    ["ja-JP", "ログイン", "ltr"],
    ["zh-CN", "登录", "ltr"],
    ["zh-TW", "登入", "ltr"],
    ["es-MX", "Iniciar sesión", "ltr"],
    ["pt-BR", "Entrar", "ltr"],
    ["it-CH", "Accedi", "ltr"],
    ["sw", "Log in", "ltr"],
  ]) {
    const context = await world.browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(world.server.url);
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    await becomes(() => page.evaluate(() => document.documentElement.dir), dir);
    await context.close();
  }
});

test("Arabic has its own form for one, two, few and many", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const group = await ana.hasGroup("Climbers");
  await readsArabic(ana);
  await opens(ana, "Climbers");
  await ana.page.getByRole("link", { name: "التفاصيل", exact: true }).click();
  const title = ana.page.locator("aside .overview-words");
  await becomes(() => title.textContent(), "عضو واحد");
  for (let there = 2; there <= 11; there += 1) {
    await ana.brings(await world.person(`P${there}`), group);
    if (there === 2) await becomes(() => title.textContent(), "عضوان");
    if (there === 3) await becomes(() => title.textContent(), /^[3٣] أعضاء$/);
    if (there === 11) await becomes(() => title.textContent(), /^(11|١١) عضوًا$/);
  }
});

test("Enter that accepts characters of an input method sends nothing", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  const field = ana.page.locator(".composer-input");
  await field.fill("にほん");
  for (const facts of [{ isComposing: true }, { keyCode: 229 }]) {
    await field.evaluate(
      (node, more) =>
        node.dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }),
        ),
      facts,
    );
  }
  await field.fill("日本");
  await field.press("Enter");
  await ana.knowsItIsSent("日本");
  const { messages } = await ana.call("GET", `/v3/groups/${climbers.id}/messages`);
  const texts = messages.map((/** @type {{ text: string }} */ { text }) => text);
  assert.deepEqual([texts.includes("日本"), texts.includes("にほん")], [true, false]);
});
