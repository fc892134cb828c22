/** Words with looks: code, quotes, lists and emphasis, by signs that people know. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

const WORDS = `**Bring** a *rope* and \`knots.md\`, <b>not</b> ~~tape~~:
- @Ben the [pegs](https://a.example/pegs)
- two slings
> who leads?
\`\`\`
climb --up *
\`\`\`
2*3*4 is 24`;

test("words are shown with the looks that their writer gave them", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.says(climbers, WORDS);
  const words = ben.page.locator(".line .words");
  await words.locator("ul > li", { hasText: "two slings" }).waitFor();
  const shown = async (/** @type {string} */ what) => words.locator(what).allTextContents();
  assert.deepEqual(await shown("strong"), ["Bring"]);
  assert.deepEqual(await shown("em"), ["rope"]);
  assert.deepEqual(await shown("del"), ["tape"]);
  assert.deepEqual(await shown("code"), ["knots.md", "climb --up *"]);
  assert.deepEqual(await shown("blockquote"), ["who leads?"]);
  assert.deepEqual(await shown('li > a[href="https://a.example/pegs"]'), ["pegs"]);
  assert.deepEqual(await shown("b"), []);
  await becomes(() => words.textContent(), /<b>not<\/b>.*2\*3\*4 is 24$/s);
  assert.deepEqual(await violations(ben), []);
  if (process.env.PICTURES) await ben.page.screenshot({ path: `${process.env.PICTURES}/formatting.png` });
});
