/** The page that explains the API: every operation is there, by mouse and by keyboard. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("every operation of the document is on the page, under its section", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.visits("/docs");
  await ana.page.getByRole("heading", { name: "The API" }).waitFor();
  await ana.page.locator(".operation").first().waitFor();
  const told = await (await fetch(`${world.server.url}/openapi.json`)).json();
  /** @type {string[]} */
  const expected = Object.values(told.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  );
  const shown = await ana.page.locator(".operation").evaluateAll((all) => all.map((one) => one.id));
  assert.deepEqual(shown.sort(), expected.sort());
  const origins = await ana.page.locator("[data-origin]").allTextContents();
  assert.deepEqual(new Set(origins), new Set([world.server.url]));
});

test("an operation opens by keyboard and leads to the schema that it names", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.visits("/docs");
  const operation = ana.page.locator("#post_v3_groups_id_messages");
  await operation.locator("summary").focus();
  await ana.page.keyboard.press("Enter");
  await operation.getByText("at most 1000 characters").waitFor();
  await operation.getByRole("link", { name: "Message", exact: true }).focus();
  await ana.page.keyboard.press("Enter");
  await ana.page.locator("#schema-Message[open]").getByText("favorited_by").waitFor();
  await becomes(() => ana.page.locator(":focus").textContent(), "Message");
});

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  test(`nothing on the page is wider than a phone, and text can be read in ${scheme}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.visitor("Ana", { phone: true });
    await ana.page.emulateMedia({ colorScheme: scheme });
    await ana.visits("/docs");
    await ana.page.locator(".operation").first().waitFor();
    const seen = await ana.page.evaluate(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
      const style = getComputedStyle(document.body);
      const light = (/** @type {string} */ colour) =>
        (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
      return {
        tooWide: document.documentElement.scrollWidth - innerWidth,
        isDark: light(style.backgroundColor) < light(style.color),
      };
    });
    assert.deepEqual(seen, { tooWide: 0, isDark: scheme === "dark" });
  });
}

test("the page for operators is found from there, and fits a phone", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana", { phone: true });
  await ana.visits("/docs");
  await ana.page.getByRole("link", { name: "operator's guide" }).click();
  await ana.page.getByRole("heading", { name: "Operator's guide" }).waitFor();
  const tooWide = await ana.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(tooWide, 0);
});

test("the search finds entries of guide and reference", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.visits("/docs");
  const search = ana.page.getByLabel("Search the guide and the reference");
  await search.fill("leaderboard zzz");
  await ana.sees("0 places");
  await search.fill("read_by");
  const shown = () => ana.page.locator(".operation:visible summary").allTextContents();
  await becomes(async () => (await shown()).some((one) => one.includes("read_by")), true);
  await becomes(async () => (await shown()).some((one) => one.includes("/pictures")), false);
  await search.fill("");
  await becomes(() => ana.page.locator("#guide > h2").first().isVisible(), true);
});

test("examples are shown in another language and copied", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ana.visits("/docs");
  await ana.page.locator(".operation").first().waitFor();
  const example = ana.page.locator(".example", { hasText: "Ana Alba" });
  await example.getByRole("button", { name: "Python" }).click();
  await becomes(
    async () =>
      (await example.locator("pre").textContent())?.startsWith(`requests.post(\n    "${world.server.url}`),
    true,
  );
  await example.getByRole("button", { name: "Copy" }).click();
  await example.getByRole("button", { name: "Copied" }).waitFor();
  await becomes(
    () => ana.page.evaluate(() => navigator.clipboard.readText()),
    (await example.locator("pre").textContent()) ?? "",
  );
  await ana.page.reload();
  await example.getByRole("button", { name: "Python", pressed: true }).waitFor();
  await becomes(() => violations(ana), []);
});

test("a wide page has its contents at the left, and examples beside the words", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.visits("/docs");
  const contents = ana.page.getByRole("navigation", { name: "Contents" });
  await contents.getByRole("link", { name: "Retries", exact: true }).click();
  const current = () => contents.locator("[aria-current]").allTextContents();
  await becomes(current, ["Retries"]);
  const isBeside = () =>
    ana.page.evaluate(() => {
      const edges = (/** @type {string} */ name) => document.querySelector(name)?.getBoundingClientRect();
      return Number(edges("#guide > .example")?.left) > Number(edges("#guide > p")?.right);
    });
  await becomes(isBeside, true);
  await ana.page.setViewportSize({ width: 900, height: 700 });
  await contents.waitFor({ state: "hidden" });
  await becomes(isBeside, false);
});

test("an operation is tried against this server, with one's own token", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.visits("/docs");
  const list = ana.page.locator("#get_v3_groups_id");
  await list.locator("summary").click();
  // Who is signed in here need not look for it.
  await becomes(() => list.getByLabel("access token").inputValue(), ana.token);
  await list.getByLabel("id", { exact: true }).fill(climbers.id);
  await list.getByRole("button", { name: "Send" }).click();
  await list.locator(".try-answer").getByText('"name": "Climbers"').waitFor();
  await list.locator(".try-answer").getByText(/ 200 /).waitFor();

  const post = ana.page.locator("#post_v3_groups_id_messages");
  await post.locator("summary").click();
  await post.getByLabel("id", { exact: true }).fill(climbers.id);
  const body = post.getByLabel("body");
  await becomes(async () => JSON.parse(await body.inputValue()), {
    message: { source_guid: "", text: "" },
  });
  await body.fill(JSON.stringify({ message: { source_guid: "tried", text: "rope at six" } }));
  await post.getByRole("button", { name: "Send this POST" }).click();
  await post.locator(".try-answer").getByText('"text": "rope at six"').waitFor();
  await post.getByLabel("access token").fill("wrong");
  await post.getByRole("button", { name: "Send this POST" }).click();
  await post.locator(".try-answer").getByText(/ 401 /).waitFor();
});
