/** Requests to join, from the stranger who enters an invited address to the group in their list. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { covered, cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** The name of an account may be long, and so may the address that it entered. */
const LONG = "Maximiliane Hohenstaufen-Wolkenstein the Younger";

/** A server for other machines, where an address counts only once somebody has confirmed it. */
const PUBLIC = ["--public-url", "http://chat.example.org"];

/** Ana's group, which invited these addresses. */
async function inviting(/** @type {import("node:test").TestContext} */ t, /** @type {string[]} */ addresses) {
  const world = await World.start(t, PUBLIC);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  const members = addresses.map((email) => ({ nickname: "Boss", email }));
  const { results_id: id } = await ana.call("POST", `/v3/groups/${climbers.id}/members/add`, { members });
  const results = () =>
    ana.call("GET", `/v3/groups/${climbers.id}/members/results/${id}`).then(
      (found) => found.members.length,
      () => -1,
    );
  await becomes(results, 0, "nobody has these addresses yet");
  return { world, ana, climbers };
}

/** Somebody enters an address as theirs, on the account page. */
async function enters(/** @type {Person} */ person, /** @type {string} */ address) {
  await person.visits("/#/account");
  const profile = person.page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Email", { exact: true }).fill(address);
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByText("Saved.").waitFor();
}

const requests = (/** @type {Person} */ { page }) => page.getByRole("region", { name: "Requests to join" });
const panel = (/** @type {Person} */ { page }) => page.getByRole("complementary", { name: "Details" });

async function isWell(/** @type {Person} */ person, /** @type {string} */ name) {
  for (const width of [320, 390, 720, 1280]) {
    await person.page.setViewportSize({ width, height: 800 });
    const { PICTURES } = process.env;
    if (PICTURES) await person.page.screenshot({ path: `${PICTURES}/${name}-${width}.png` });
    await becomes(() => cutOff(person), [], `${name} at ${width}`);
    await becomes(() => covered(person, "aside header"), [], `${name} at ${width}`);
  }
  await becomes(() => violations(person), [], name);
}

test("an owner approves one request to join and denies another", async (t) => {
  const addresses = ["boss@example.org", "a-rather-long-address-of-somebody@climbing.example.org"];
  const { world, ana } = await inviting(t, addresses);
  const [mal, eve] = await world.people("Mal", "Eve");
  await eve.call("POST", "/v3/users/update", { name: LONG });
  await enters(mal, "Boss@example.org");
  await enters(eve, addresses[1]);
  await mal.visits("/#/");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const section = requests(ana);
  await section.getByText("Mal", { exact: true }).waitFor();
  await section.getByText("Has the invited address boss@example.org").waitFor();
  await section.getByText(LONG, { exact: true }).waitFor();
  await isWell(ana, "requests");

  await section.getByRole("button", { name: "Approve Mal", exact: true }).click();
  await panel(ana).getByRole("button", { name: "Mal", exact: true }).waitFor();
  await ana.sees("Mal has joined the group.");
  await becomes(() => section.getByRole("listitem").count(), 1);
  await mal.opens("Climbers");
  await mal.writes("thank you");
  await ana.reads("thank you");

  await section.getByRole("button", { name: `Deny ${LONG}`, exact: true }).click();
  await section.waitFor({ state: "hidden" });
  await eve.visits("/#/");
  await eve.isConnected();
  await becomes(() => eve.inList(/Climbers/).count(), 0);
  await becomes(() => panel(ana).getByText("2 members").count(), 1);
});

test("a request appears in the open panel and only before those who may decide it", async (t) => {
  const { world, ana, climbers } = await inviting(t, ["boss@example.org"]);
  const [ben, mal] = await world.people("Ben", "Mal");
  await ana.brings(ben, climbers);
  for (const person of [ana, ben]) {
    await person.opens("Climbers");
    await person.opensMembers();
  }
  await enters(mal, "boss@example.org");
  await requests(ana).getByRole("button", { name: "Approve Mal", exact: true }).waitFor();
  await becomes(() => requests(ben).count(), 0);
  // Somebody else decides it: the request goes.
  const [request] = await ana.call("GET", `/v3/groups/${climbers.id}/pending_memberships`);
  await ana.call("POST", `/v3/groups/${climbers.id}/members/${request.id}/approval`, { approval: false });
  await requests(ana).waitFor({ state: "hidden" });
});
