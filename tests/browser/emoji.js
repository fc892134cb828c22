/**
 * Rebuilds `static/emoji/`: which emoji there are and what they are called, from the data of
 * Unicode. Run it where these packages of the npm registry lie (`npm pack` fetches them):
 *
 *     npm pack unicode-emoji-json@0.9.0 cldr-annotations-full@48.2.0 cldr-annotations-derived-full@48.2.0
 *     node emoji.js <folder with them>
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { LANGUAGES } from "../../static/js/words/words.js";

const FOLDER = new URL("../../static/emoji/", import.meta.url);
/** What it is made of, with the SHA-256 of each package. */
const PACKAGES = {
  groups: {
    file: "unicode-emoji-json-0.9.0.tgz",
    hash: "ae7efacb55533385bf8767d613dbd36c71226669759d95919a6e9059f5e4c401",
    licence: "MIT",
  },
  words: {
    file: "cldr-annotations-full-48.2.0.tgz",
    hash: "28576e51225deb51e3ddd734b0f824a0079682cb5d8c27faa9f68149317a14d1",
    licence: "Unicode-3.0",
  },
  derived: {
    file: "cldr-annotations-derived-full-48.2.0.tgz",
    hash: "4be946ff5815f806ec78b50363d577a769f2fbfb90c6380a44e161a92436996e",
    licence: "Unicode-3.0",
  },
};
/** What is newer shows as an empty box on many devices. */
const NEWEST = 15.1;

const from = process.argv[2] ?? ".";
for (const { file, hash } of Object.values(PACKAGES)) {
  const found = createHash("sha256")
    .update(await readFile(`${from}/${file}`))
    .digest("hex");
  if (found !== hash) throw new Error(`${file} is not the one that is meant: ${found}`);
}

/** A file of a package. */
const read = (/** @type {keyof typeof PACKAGES} */ which, /** @type {string} */ path) =>
  execFileSync("tar", ["-xzOf", `${from}/${PACKAGES[which].file}`, `package/${path}`], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });

/** @typedef {Record<string, { default?: string[], tts?: string[] }>} Words */

/** @returns {Words} */
function wordsIn(/** @type {string} */ language) {
  const words = JSON.parse(read("words", `annotations/${language}/annotations.json`));
  const derived = JSON.parse(read("derived", `annotationsDerived/${language}/annotations.json`));
  return { ...derived.annotationsDerived.annotations, ...words.annotations.annotations };
}

const groups = JSON.parse(read("groups", "data-by-group.json"));
const head = Object.values(PACKAGES).map(({ file, hash, licence }) => `# ${file}, ${licence}, ${hash}`);

for (const { value: language } of LANGUAGES) {
  const called = wordsIn(language);
  const lines = [...head];
  for (const { slug, emojis } of groups) {
    lines.push(`[${slug}]`);
    for (const { emoji, name, emoji_version: version, ...more } of emojis) {
      if (Number(version) > NEWEST) continue;
      const hasTones = more.skin_tone_support && Number(more.skin_tone_support_unicode_version) <= NEWEST;
      const { tts = [name], default: words = [] } =
        called[emoji] ?? called[emoji.replaceAll("\ufe0f", "")] ?? {};
      const known = new Set(tts[0].toLocaleLowerCase(language).split(/[\s:,]+/));
      const all = words.flatMap((word) => word.split(/\s+/));
      const others = [...new Set(all)].filter((word) => !known.has(word.toLocaleLowerCase(language)));
      lines.push([emoji, tts[0], others.join(" "), hasTones ? "tones" : ""].join("\t").trimEnd());
    }
  }
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL(`${language}.txt`, FOLDER), `${lines.join("\n")}\n`);
}
const licences = /** @type {const} */ (["groups", "words"]).map((which) => read(which, "LICENSE").trim());
await writeFile(new URL("LICENSES.txt", FOLDER), `${licences.join("\n\n----\n\n")}\n`);
