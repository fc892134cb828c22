/** The colours: the dark ones stand twice and are the same, and every accent can be read. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const sheet = await readFile(new URL("../../../static/css/tokens.css", import.meta.url), "utf8");

test("the dark colours are the same, chosen or by the device", () => {
  const blockOf = (/** @type {string} */ start) => {
    const from = sheet.indexOf(start) + start.length;
    const lines = sheet.slice(from, sheet.indexOf("}", from)).split("\n");
    return lines.map((line) => line.trim());
  };
  const chosen = blockOf(':root[data-scheme="dark"] {');
  assert.ok(chosen.length > 20);
  assert.deepEqual(blockOf(":root:not([data-scheme]) {"), chosen);
});

/** The tokens that a rule of the sheet sets. */
function tokensOf(/** @type {string} */ selector) {
  const from = sheet.indexOf(`\n${selector} {`);
  assert.ok(from >= 0, selector);
  const rule = sheet.slice(from, sheet.indexOf("\n}", from));
  return Object.fromEntries(
    [...rule.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}

/** Linear red, green and blue of a colour of the sheet (https://bottosson.github.io/posts/oklab/). */
function linear(/** @type {string} */ colour, /** @type {number} */ hue) {
  const parts = /^oklch\(([\d.]+)% ([\d.]+) var\(--accent-hue\)\)$/.exec(colour);
  if (!parts) {
    const bytes = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
    return bytes.map((byte) => (byte <= 0.04045 ? byte / 12.92 : ((byte + 0.055) / 1.055) ** 2.4));
  }
  const [light, chroma, angle] = [Number(parts[1]) / 100, Number(parts[2]), (hue * Math.PI) / 180];
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(Math.max(part, 0), 1));
}

/** The contrast of two colours (WCAG 2.2). */
function contrast(/** @type {number[]} */ one, /** @type {number[]} */ other) {
  const [dark, light] = [one, other]
    .map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** What is written on what. */
const WRITTEN = [
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["accent-strong", "back"],
  ["accent-strong", "surface"],
  ["accent-strong", "sunken"],
  ["accent-strong", "hover"],
  ["accent-strong", "accent-soft"],
  ["accent-strong", "bubble"],
  ["text", "accent-soft"],
  ["text-quiet", "accent-soft"],
  ["mine-text", "mine"],
  ["mine-quiet", "mine"],
];

test("every accent leaves what is written readable", () => {
  const light = tokensOf(":root");
  const dark = { ...light, ...tokensOf(':root[data-scheme="dark"]') };
  const more = tokensOf(':root[data-contrast="more"]');
  const moreInTheDark = { ...dark, ...more, ...tokensOf(':root[data-scheme="dark"][data-contrast="more"]') };
  const schemes = [light, dark, { ...light, ...more }, moreInTheDark];
  const hues = [...sheet.matchAll(/--accent-hue: (\d+);/g)].map(([, hue]) => Number(hue));
  assert.equal(hues.length, 5);
  for (const [at, tokens] of schemes.entries())
    for (const hue of hues)
      for (const [words, ground] of WRITTEN) {
        const found = contrast(linear(tokens[words], hue), linear(tokens[ground], hue));
        assert.ok(found >= (at < 2 ? 4.5 : 7), `${words} on ${ground}, scheme ${at}, hue ${hue}: ${found}`);
      }
});
