/** Links to one message, however far up it is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a link leads to its message, far above what was loaded", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const meant = await ana.says(climbers, "this one is meant");
  for (let at = 1; at <= 260; at += 1) await ana.says(climbers, `line ${at}`);
  await ben.visits(`/#/groups/${climbers.id}/messages/${meant.id}`);
  const line = ben.line("this one is meant");
  await line.and(ben.page.locator(":focus")).waitFor();
  await ben.page.getByRole("button", { name: "Jump to the newest message" }).click();
  await ben.reads("line 260");
  await line.waitFor({ state: "detached" });

  // And once more, from another page, by what was copied.
  await ana.opens("Climbers");
  await ana.takes(ana.line("line 260"), "Copy link");
  const dialog = ana.page.getByRole("dialog", { name: "Link to this message" });
  const address = (await dialog.locator("code").textContent()) ?? "";
  await ben.enters(address);
  await ben.line("line 260").and(ben.page.locator(":focus")).waitFor();
});

test("a linked place scrolls both ways without gaps", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  /** @type {string[]} */
  const ids = [];
  for (let at = 1; at <= 700; at += 1) ids.push((await ana.says(climbers, `line ${at}`)).id);
  await ben.visits(`/#/groups/${climbers.id}/messages/${ids[249]}`);
  await ben.line("line 250").and(ben.page.locator(":focus")).waitFor();

  // What happens to it, and what is said meanwhile, shows where it belongs.
  await ana.call("PUT", `/v3/groups/${climbers.id}/messages/${ids[249]}`, {
    message: { text: "changed 250" },
  });
  await ben.reads("changed 250");
  await ana.says(climbers, "line 701");
  await ben.inList(/line 701/).waitFor();
  await becomes(() => ben.line("line 701").count(), 0);
  await ben.likes("line 251");
  await ana.opens("Climbers");
  await becomes(
    async () =>
      (await ana.call("GET", `/v3/groups/${climbers.id}/messages/${ids[250]}`)).message.favorited_by.length,
    1,
  );

  const log = ben.page.getByRole("log", { name: "Messages", exact: true });
  const reads = (/** @type {"up" | "down"} */ way, /** @type {string} */ until) =>
    log.evaluate(
      async (node, [way, until]) => {
        /** @type {Set<string>} */
        const seen = new Set();
        const end = performance.now() + 120_000;
        while (!seen.has(until) && performance.now() < end) {
          for (const { textContent } of node.querySelectorAll(".line .words")) seen.add(textContent ?? "");
          node.scrollTop += way === "up" ? -300 : 300;
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return [...seen];
      },
      [way, until],
    );
  const all = new Set([...(await reads("up", "line 1")), ...(await reads("down", "line 701"))]);
  const missing = ids.map((_, at) => `line ${at + 1}`).filter((words) => !all.has(words));
  assert.deepEqual(missing, ["line 250"], "it says something else now");
  await log.press("End");
  await becomes(() => ben.page.getByRole("button", { name: "Jump to the newest message" }).isHidden(), true);
  await ana.says(climbers, "line 702");
  await ben.reads("line 702");
});

test("an old place reloads after the server lost the cursor", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  const meant = await ana.says(climbers, "this one is meant");
  for (let at = 1; at <= 260; at += 1) await ana.says(climbers, `line ${at}`);
  await ben.visits(`/#/groups/${climbers.id}/messages/${meant.id}`);
  await ben.line("this one is meant").and(ben.page.locator(":focus")).waitFor();
  await world.server.isKilled();
  await world.server.starts();
  await ben.isConnected();
  await ana.says(climbers, "after the restart");
  await ben.inList(/after the restart/).waitFor();
  await ben.reads("this one is meant");
  await ben.page.getByRole("button", { name: "Jump to the newest message" }).click();
  await ben.reads("after the restart");
});

test("a link to a missing message shows an error and the newest", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.visits(`/#/groups/${climbers.id}/messages/123`);
  await ana.isTold("This message cannot be shown.");
  await ana.reads("rope at six");
});
