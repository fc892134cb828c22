/** A look at a page by axe: what of it keeps somebody out. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, as lines for a person to read. @returns {Promise<string[]>} */
export async function violations(/** @type {import("./person.js").Person} */ person) {
  await person.page.evaluate(AXE);
  return person.page.evaluate(async () => {
    const { axe } = /** @type {any} */ (globalThis);
    const { violations: found } = await axe.run(document, { resultTypes: ["violations"] });
    return found.flatMap((/** @type {any} */ { id, help, nodes }) =>
      nodes.map(
        (/** @type {any} */ { target, failureSummary }) => `${id}: ${help}: ${target} ${failureSummary}`,
      ),
    );
  });
}
