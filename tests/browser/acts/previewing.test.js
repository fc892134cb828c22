/** Links whose pages show what they say of themselves, where the operator wants that. */

import { createServer } from "node:http";
import { test } from "node:test";
import { World } from "../world.js";

const PAGE = `<title>Ropes</title><meta property="og:description" content="All about them">`;

test("a page shows itself below the words that link to it", async (t) => {
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(PAGE));
  await new Promise((resolve) => site.listen(0, "127.0.0.1", () => resolve(null)));
  t.after(() => site.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (site.address());
  const world = await World.start(t, ["--link-previews"]);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.says(climbers, `see http://127.0.0.1:${port}/rope`);
  const card = ben.page.locator(".line .link-card");
  await card.getByText("Ropes", { exact: true }).waitFor();
  await card.getByText("All about them").waitFor();
  await ben.page.locator(`.link-card[href="http://127.0.0.1:${port}/rope"]`).waitFor();
});
