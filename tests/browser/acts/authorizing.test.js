/** Registering an application, letting it in or not, and what one can do about it later. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { opensBot, opensTab } from "../bots.js";
import { Callback } from "../callback.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** A world, an application that listens, and its link. */
async function fixture(/** @type {import("node:test").TestContext} */ t) {
  const world = await World.start(t);
  const callback = await Callback.start(t);
  world.trusts(callback.host);
  const maker = await world.person("Mia");
  const { client_id: id } = await maker.call("POST", "/oauth/applications", {
    name: "Ropes",
    callback_url: callback.url,
  });
  return { world, callback, maker, link: `${world.server.url}/oauth/authorize?client_id=${id}` };
}

/** Logs in on the page that asks, and answers it. @returns {Promise<URLSearchParams>} what the application is told */
async function answers(
  /** @type {import("../person.js").Person} */ person,
  /** @type {Awaited<ReturnType<typeof fixture>>} */ { link, callback },
  answer = "Allow",
) {
  await person.enters(link);
  await person.logsIn();
  await person.presses(answer);
  await person.sees("Back at Ropes.");
  return (await callback.visit()).query;
}

const me = (/** @type {World} */ world, /** @type {string | null} */ token) =>
  world.server.call("GET", "/v3/users/me", { token: token ?? "" });

test("a stranger registers an application, and another lets it in", async (t) => {
  const world = await World.start(t);
  const callback = await Callback.start(t);
  world.trusts(callback.host);
  const mia = await world.visitor("Mia");
  await mia.registers();
  await mia.isConnected();
  await mia.page.getByRole("link", { name: "Account" }).click();
  await mia.page.getByRole("link", { name: "Your applications" }).click();
  await mia.fills({ Name: "Ropes", "Callback URL": "ropes" });
  await mia.presses("Register application");
  await mia.sees("Enter a URL, like https://example.org/callback.");
  await mia.fills({ "Callback URL": "http://example.org/" });
  await mia.presses("Register application");
  await mia.isTold("Callback_url must be an https URL, or http on localhost.");
  await mia.fills({ "Callback URL": callback.url });
  await mia.presses("Register application");
  const link = await mia.page.getByText("/oauth/authorize?client_id=").textContent();

  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  await ben.enters(`${link}&state=a%26b`);
  await ben.logsIn({ password: "not my password" });
  await ben.isTold("Wrong email or password.");
  await ben.logsIn();
  await ben.page.getByRole("heading", { name: "Allow Ropes?" }).waitFor();
  await ben.sees("registered here by Mia");
  await ben.presses("Allow");
  await ben.sees("Back at Ropes.");
  const { query, referrer } = await callback.visit();
  assert.equal(query.get("state"), "a&b");
  assert.equal(query.get("from"), "coterie");
  assert.equal(referrer, undefined);
  assert.equal((await me(world, query.get("access_token"))).id, ben.id);
});

test("the page of an application uses the API with its token", async (t) => {
  const asked = await fixture(t);
  const { world } = asked;
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  const query = await answers(ben, asked);
  const call = { url: world.server.url, token: query.get("access_token") ?? "" };
  const group = await ben.page.evaluate(async ({ url, token }) => {
    const headers = { "X-Access-Token": token, "Content-Type": "application/json" };
    const body = JSON.stringify({ name: "Climbers" });
    const made = await fetch(`${url}/v3/groups`, { method: "POST", headers, body });
    return (await made.json()).response;
  }, call);
  assert.equal(group.name, "Climbers");
  assert.equal(group.creator_user_id, ben.id);
});

test("a bot that an application made is kept, and is the application's no more", async (t) => {
  const asked = await fixture(t);
  const { world } = asked;
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  const query = await answers(ben, asked);
  const token = query.get("access_token") ?? "";
  const asks = (
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {object | undefined} */ body = undefined,
  ) => world.server.call(method, path, { token, body });
  const group = await asks("POST", "/v3/groups", { name: "Climbers" });
  await asks("POST", "/v3/bots", { bot: { name: "Echo", group_id: group.id } });
  await ben.visits("/");
  await ben.logsIn();
  await opensBot(ben);
  await opensTab(ben, "Settings");
  await ben.sees(/It is deleted when you end the application's access/);
  await ben.presses("Keep this bot");
  await ben.sees("This bot is yours now.");
  await becomes(() => ben.page.getByRole("button", { name: "Keep this bot" }).isVisible(), false);
  assert.deepEqual(await asks("GET", "/v3/bots"), []);
});

test("denying consent redirects without a token", async (t) => {
  const asked = await fixture(t);
  const { world } = asked;
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  const query = await answers(ben, asked, "Deny");
  assert.deepEqual([...query.keys()], ["from", "error"]);
  assert.equal(query.get("error"), "access_denied");
});

test("all of it works with the keyboard and without scripts", async (t) => {
  const { world, callback, link } = await fixture(t);
  const ben = await world.visitor("Ben", { scripts: false });
  await ben.hasAnAccount();
  await ben.enters(link);
  const { keyboard } = ben.page;
  // The cursor comes to the first field by itself.
  await ben.page.getByLabel("Email").and(ben.page.locator(":focus")).waitFor();
  await keyboard.type(ben.email);
  await keyboard.press("Tab");
  await keyboard.type(ben.password);
  await keyboard.press("Enter");
  await ben.page.getByRole("heading", { name: "Allow Ropes?" }).waitFor();
  await keyboard.press("Tab");
  await ben.page.getByRole("button", { name: "Allow" }).and(ben.page.locator(":focus")).waitFor();
  await keyboard.press("Enter");
  await ben.sees("Back at Ropes.");
  const { query } = await callback.visit();
  assert.equal((await me(world, query.get("access_token"))).id, ben.id);
});

test("the consent page can switch accounts", async (t) => {
  const { world, callback, link } = await fixture(t);
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  const cara = await world.visitor("Cara");
  await cara.hasAnAccount();
  await ben.enters(link);
  await ben.logsIn();
  await ben.sees(ben.email);
  await ben.presses("Use another account");
  await ben.logsIn(cara);
  await ben.sees(cara.email);
  await ben.presses("Allow");
  const { query } = await callback.visit();
  assert.equal((await me(world, query.get("access_token"))).id, cara.id);
});

test("authorized applications are listed and revoked in the account", async (t) => {
  const asked = await fixture(t);
  const { world } = asked;
  const ben = await world.person("Ben");
  const query = await answers(ben, asked);
  await ben.visits("/#/account");
  const guests = ben.page.getByRole("region", { name: "Authorized applications" });
  await guests.getByText("Ropes").waitFor();
  await ben.presses("End: Ropes");
  await guests.getByText("You have authorized no applications.").waitFor();
  await assert.rejects(me(world, query.get("access_token")), { status: 401 });
  await ben.sees("This browser");
});

test("deleting an application logs everybody out of it", async (t) => {
  const asked = await fixture(t);
  const { world, maker, link } = asked;
  const ben = await world.visitor("Ben");
  await ben.hasAnAccount();
  const query = await answers(ben, asked);
  await maker.visits("/#/account/applications");
  await maker.presses("Delete: Ropes");
  await maker.presses("Delete application");
  await maker.page.getByRole("button", { name: "Delete: Ropes" }).waitFor({ state: "detached" });
  await assert.rejects(me(world, query.get("access_token")), { status: 401 });
  await ben.enters(link);
  await ben.isTold("the application is unknown");
});

test("another password logs out everywhere else", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const { access_token: phone } = await world.server.call("POST", "/auth/login", {
    body: { email: ana.email, password: ana.password },
  });
  await ana.visits("/#/account");
  await ana.sees(/^node$/);
  await ana.fills({ "Current password": "not my password", "New password": "chalk and rope" });
  await ana.presses("Change password");
  await ana.isTold("The password is wrong.");
  await ana.fills({ "Current password": ana.password });
  await ana.presses("Change password");
  await ana.sees("Your password was changed.");
  await ana.page.getByText(/^node$/).waitFor({ state: "detached" });
  await assert.rejects(me(world, phone), { status: 401 });
  await ana.isConnected();
});

test("an account ends where it is asked to, once its groups are handed over", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const group = await ana.hasGroup("Climbers");
  await ana.visits("/#/account");
  await ana.fills({ "Confirm with your password": ana.password });
  await ana.presses("Delete my account");
  await ana.isTold(/You own the group Climbers/);
  await ana.call("POST", `/v3/groups/${group.id}/destroy`);
  await ana.presses("Delete my account");
  await ana.sees("Your account was deleted.");
  await ana.logsIn();
  await ana.isTold("Wrong email or password.");
});
