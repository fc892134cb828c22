/** Changing bots, deleting them, and hearing of it elsewhere. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { botLink, hasBot, heading, opensBot, opensTab, URL_FIELD } from "../bots.js";
import { becomes } from "../eventually.js";
import { Listener } from "../listener.js";
import { PIXEL } from "../paint.js";
import { World } from "../world.js";

test("bot settings change, and errors appear at their fields", async (t) => {
  const world = await World.start(t);
  const listener = await Listener.start(t);
  const ana = await world.person("Ana");
  const { bot } = await hasBot(ana);
  await opensBot(ana);
  await opensTab(ana, "Settings");
  await ana.fills({ Name: "Parrot", [URL_FIELD]: "http://localhost.example:0/" });
  await ana.presses("Save changes");
  await ana.sees("This URL must be an http or https URL that names a host.");
  await ana.fills({ [URL_FIELD]: listener.url });
  await ana.page.getByLabel("Receives its own messages").check();
  await ana.presses("Save changes");
  await ana.sees("Saved.");
  await heading(ana, "Parrot").waitFor();
  const whole = await ana.call("POST", `/v3/bots/${bot.bot_id}/update`);
  assert.deepEqual(
    [whole.name, whole.callback_url, whole.receive_own, whole.active],
    ["Parrot", listener.url, true, true],
  );
  await ana.page.getByLabel("Active", { exact: true }).uncheck();
  await ana.presses("Save changes");
  await ana.sees("In Climbers, inactive");
  await opensTab(ana, "Overview");
  await ana.sees("You switched it off.");
  await ana.presses("Switch on");
  await ana.sees("Each message of its group is posted to its callback URL.");
  await opensTab(ana, "Settings");
  await becomes(() => ana.page.getByLabel("Active", { exact: true }).isChecked(), true);
  await becomes(() => ana.page.getByLabel("Receives its own messages").isChecked(), true);

  await ana.presses("Choose a picture");
  await ana.page.getByLabel("Picture", { exact: true }).setInputFiles(PIXEL);
  await ana.presses("Save picture");
  await ana.presses("Remove the picture");
  await ana.page.getByRole("button", { name: "Remove the picture" }).waitFor({ state: "hidden" });
  assert.equal((await ana.call("GET", "/v3/bots"))[0].avatar_url, null);
});

test("a new secret says until when the one before is valid", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { bot } = await hasBot(ana);
  await opensBot(ana);
  await opensTab(ana, "Settings");
  await ana.presses("Create a new secret");
  await ana.sees(
    /The previous secret stays valid until \d.* \d\d:\d\d:\d\d\. Until then, callbacks are signed with both\./,
  );
  const secret = (await ana.page.getByText(/^whsec_/).textContent()) ?? "";
  assert.notEqual(secret, bot.secret);
  const events = `${world.server.url}/v3/bots/${bot.bot_id}/events`;
  for (const one of [secret, bot.secret]) {
    const { status } = await fetch(events, { headers: { Authorization: `Bearer ${one}` } });
    assert.equal(status, 200);
  }
  await ana.presses("I have saved it");
  await ana.page.getByText(/^whsec_/).waitFor({ state: "detached" });
  const focused = () => ana.page.evaluate(() => document.activeElement?.textContent);
  await becomes(focused, "Create a new secret");
});

test("a bot is deleted after a second question, everywhere at once", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { bot } = await hasBot(ana);
  await opensBot(ana);
  await opensTab(ana, "Settings");
  await ana.presses("Delete this bot…");
  await ana.presses("Cancel");
  assert.equal((await ana.call("GET", "/v3/bots")).length, 1);
  await ana.presses("Delete this bot…");
  await ana.presses("Delete bot");
  await ana.sees("You have no bots yet.");
  await assert.rejects(
    world.server.call("POST", "/v3/bots/post", { body: { bot_id: bot.bot_id, text: "x" } }),
    {
      status: 404,
    },
  );
});

test("bot changes on other devices appear", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const group = await ana.hasGroup("Climbers", ben);
  await ana.visits("/#/account/bots");
  await ana.sees("You have no bots yet.");
  const bot = await ana.call("POST", "/v3/bots", { bot: { name: "Echo", group_id: group.id } });
  await ben.call("POST", "/v3/bots", { bot: { name: "Spy", group_id: group.id } });
  await botLink(ana, /Echo.*Active/).waitFor();
  await ana.call("POST", `/v3/bots/${bot.bot_id}/update`, { name: "Parrot", active: false });
  await botLink(ana, /Parrot.*Inactive.*In Climbers.*You switched it off\./).waitFor();
  await becomes(() => botLink(ana, "Spy").count(), 0);

  await botLink(ana, "Parrot").click();
  await heading(ana, "Parrot").waitFor();
  const address = new URL(ana.page.url()).hash;
  await ben.visits(`/${address}`);
  await heading(ben, "Bot not found").waitFor();
  await ana.call("POST", "/v3/bots/destroy", { bot_id: bot.bot_id });
  await heading(ana, "Bot not found").waitFor();
  await ana.page.getByRole("link", { name: "Back to your bots" }).click();
  await ana.sees("You have no bots yet.");
});
