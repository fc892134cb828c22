/** The page of a share link offers only what works. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const DEAD = "This link no longer works. Ask for a new one.";

/** The path of a group's share link. */
async function linkOf(/** @type {Person} */ ana, /** @type {{ id: string }} */ group) {
  const { share_url: url } = await ana.call("POST", `/v3/groups/${group.id}/update`, { share: true });
  return new URL(url).pathname;
}

const button = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
  page.getByRole("button", { name, exact: true });

for (const [what, path] of [
  ["a wrong token", (/** @type {string} */ id) => `/join_group/${id}/wrong`],
  ["a group that does not exist", () => "/join_group/99999999/wrong"],
]) {
  test(`a link with ${what} asks for no account`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("Ana");
    const climbers = await ana.hasGroup("Climbers");
    const cleo = await world.visitor("Cleo", {
      path: /** @type {(id: string) => string} */ (path)(climbers.id),
    });
    await cleo.sees(DEAD);
    await cleo.page.getByRole("heading", { name: "Log in" }).waitFor();
    await becomes(async () => new URL(cleo.page.url()).pathname, "/");
    await cleo.logsIn({ email: ana.email, password: ana.password });
    await cleo.isConnected();
    await becomes(() => cleo.page.getByRole("dialog").count(), 0);
  });
}

test("a dead link opened by a signed-in person asks nothing", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  const ben = await world.person("Ben");
  await ben.visits(`/join_group/${climbers.id}/wrong`);
  await ben.isTold(DEAD);
  await becomes(() => button(ben, "Join the group").count(), 0);
});

test("a valid link offers an account where registration is open", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const link = await linkOf(ana, await ana.hasGroup("Climbers"));
  const cleo = await world.visitor("Cleo", { path: link });
  await cleo.sees("Climbers");
  await cleo.sees(/Log in or create an account to join it/);
  await button(cleo, "Create account").waitFor();
});

test("a valid link offers no account where registration is closed", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const link = await linkOf(ana, await ana.hasGroup("Climbers"));
  const cleo = await world.visitor("Cleo", { path: "/health/live" });
  await cleo.page.route("**/auth/options", (route) =>
    route.fulfill({ json: { response: { registration: "closed" }, meta: { code: 200 } } }),
  );
  await cleo.visits(link);
  await cleo.sees("Climbers");
  await cleo.sees(/does not accept new accounts/);
  await button(cleo, "Log in").waitFor();
  await becomes(() => button(cleo, "Create an account").filter({ visible: true }).count(), 0);
  await becomes(() => button(cleo, "Create account").count(), 0);
});
