/** Making bots, posting and reading as them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasBot, heading, opensBot, opensTab, URL_FIELD } from "../bots.js";
import { becomes } from "../eventually.js";
import { Listener } from "../listener.js";
import { PIXEL } from "../paint.js";
import { World } from "../world.js";

/** What a person would send who pasted this line into a shell. */
function pasted(/** @type {string} */ line) {
  const found = /^curl (\S+) \\\n {2}-H '([\w-]+): ([^']+)' \\\n {2}-d '([^']+)'$/.exec(line);
  assert.ok(found, line);
  const [, url, header, value, body] = found;
  return fetch(url, { method: "POST", headers: { [header]: value }, body });
}

test("a bot is made from its group, posts, and keeps its secret to itself", async (t) => {
  const world = await World.start(t);
  const listener = await Listener.start(t);
  const ana = await world.person("Ana");
  await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ana.hasGroup("Book club");
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.page.getByRole("link", { name: "Your bots in this group" }).click();
  await heading(ana, "Bots of Climbers").waitFor();
  await ana.sees("You have no bots in this group yet.");
  await ana.presses("New bot");
  await ana.sees(/Leave it empty for a bot that only posts/);
  const group = ana.page.getByLabel("Group", { exact: true });
  await becomes(() => group.evaluate((/** @type {any} */ one) => one.selectedOptions[0].text), "Climbers");
  await ana.presses("Create bot");
  await ana.sees("Give the bot a name.");
  await ana.fills({ Name: "Echo", [URL_FIELD]: "http://10.0.0.1/echo" });
  await ana.presses("Create bot");
  await ana.sees(
    "This URL leads to a private network (10.0.0.1); an operator can open it with --callback-allow.",
  );
  const url = ana.page.getByLabel(URL_FIELD);
  await becomes(() => url.getAttribute("aria-invalid"), "true");
  await becomes(() => url.evaluate((one) => one === document.activeElement), true);
  await ana.fills({ [URL_FIELD]: listener.url });
  await ana.page.getByLabel("Picture (optional)").setInputFiles(PIXEL);
  await ana.presses("Create bot");

  await heading(ana, "Echo").waitFor();
  await ana.sees("Copy it now. It will not be shown again.");
  await ana.presses("Copy secret");
  await ana.sees("Copied");
  const secret = await ana.page.evaluate(() => navigator.clipboard.readText());
  assert.match(secret, /^whsec_/);
  await opensTab(ana, "Settings");
  await ana.sees(secret);
  await opensTab(ana, "Overview");
  await ana.presses("I have saved it");
  await becomes(() => ana.page.getByText(secret).count(), 0);
  assert.equal((await ana.call("GET", "/v3/bots"))[0].avatar_url !== null, true);

  await ana.presses("Copy curl line for posting");
  await ana.page.getByText("Copied").first().waitFor();
  const line = await ana.page.evaluate(() => navigator.clipboard.readText());
  assert.equal((await pasted(line)).status, 201);
  await ana.presses("Copy bot id");
  await ana.page.getByText("Copied").nth(1).waitFor();
  const id = await ana.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(id, (await ana.call("GET", "/v3/bots"))[0].bot_id);
  assert.equal(ana.page.url().includes(id), false, "the address does not let others post as the bot");
  await ana.opens("Climbers");
  await ana.reads("Hello");
});

test("a copied line is there without a clipboard too", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { bot } = await hasBot(ana);
  // A page that came without encryption has no clipboard of this kind.
  await ana.page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await ana.page.reload();
  await opensBot(ana);
  await ana.presses("Copy bot id");
  await ana.sees(/^(Copied|Selected\. Copy it with Ctrl\+C\.)$/);
  await becomes(() => ana.page.evaluate(() => String(getSelection())), bot.bot_id);
});

test("a bot without callback URL shows pull instructions", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { group, bot } = await hasBot(ana);
  await opensBot(ana);
  await ana.sees("No callback URL: it requests new messages itself (pull mode).");
  await becomes(() => ana.page.getByRole("button", { name: "Send a test" }).isVisible(), false);
  const line = await ana.page.getByText("/events?after=").textContent();
  const address = /"(http[^"]+)\$LAST_ID"/.exec(line ?? "")?.[1] ?? "";
  await ana.says(group, "rope at six");
  const read = await fetch(`${address}0`, { headers: { Authorization: `Bearer ${bot.secret}` } });
  const { response } = await read.json();
  assert.equal(response.events.at(-1).text, "rope at six");
});

test("a test shows what the listener answers", async (t) => {
  const world = await World.start(t);
  const listener = await Listener.start(t);
  const ana = await world.person("Ana");
  await hasBot(ana, { callback_url: listener.url });
  await listener.hears();
  await opensBot(ana);
  listener.answers(418, 204);
  await ana.presses("Send a test");
  await ana.sees("Rejected");
  await ana.sees(/^418 in [\d.]+ m?s$/);
  await ana.sees('{"error":"no rope 418"}');
  await ana.presses("Send a test");
  await ana.sees(/^204 in [\d.]+ m?s$/);
  await ana.page.getByText("Rejected").waitFor({ state: "detached" });
});

test("a bot's page opens from a bookmark", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await hasBot(ana);
  await opensBot(ana);
  await ana.page.reload();
  await heading(ana, "Echo").waitFor();
  await ana.sees("Post as the bot");
});
