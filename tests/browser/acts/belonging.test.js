/** Coming into groups by their link, leaving them, and whose they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const panel = (/** @type {Person} */ person) => person.page.getByRole("complementary", { name: "Details" });

/** Makes the link of the open group. @returns {Promise<string>} */
async function shares(/** @type {Person} */ person) {
  await person.presses("Create a share link");
  const link = person.page.getByLabel("Share link", { exact: true });
  await link.waitFor();
  return link.inputValue();
}

test("a share link leads through registration into the group", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const url = await shares(ana);
  assert.match(url, new RegExp(`/join_group/${climbers.id}/`));

  const ben = await world.visitor("Ben");
  await ben.enters(url);
  await ben.sees("You are invited to a group.");
  await ben.sees("Ana invites you.");
  await ben.sees("1 member");
  // Who comes for the first time has no account yet.
  await ben.page.getByRole("heading", { name: "Create your account" }).waitFor();
  await ben.fills({ "Your name": "Ben", Email: ben.email, Password: ben.password });
  await ben.presses("Create account");
  await ben.page.getByRole("dialog", { name: "Join this group?" }).waitFor();
  await ben.presses("Join the group");
  await ben.isReading("Climbers");
  await ben.reads("rope at six");
  assert.equal(new URL(ben.page.url()).pathname, "/", "the link is answered");
  await ana.sees("2 members");
  await ben.writes("here I am");
  await ana.reads("here I am");
});

test("the join question returns after a new log-in", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers");
  const { share_url: url } = await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  await ben.enters(url);
  const question = ben.page.getByRole("dialog", { name: "Join this group?" });
  await question.waitFor();
  await ben.call("POST", "/auth/logout");
  await ben.sees("You have been logged out.");
  await question.waitFor({ state: "detached" });
  await ben.logsIn();
  await question.waitFor();
  await ben.presses("Join the group");
  await ben.isReading("Climbers");
});

test("a member who opens the link is led to the group and asked nothing", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  const { share_url: url } = await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  await ana.page.goto(url);
  await ana.isReading("Climbers");
  await becomes(() => ana.page.getByRole("dialog").count(), 0);
});

test("declining a share link joins nothing", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers");
  const { share_url: url } = await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  await ben.enters(url);
  await ben.presses("Not now");
  await ben.sees("No conversations yet.");
  await becomes(async () => new URL(ben.page.url()).pathname, "/");
});

test("a disabled share link shows an error", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.createsGroup("Climbers");
  await ana.opensMembers();
  const url = await shares(ana);
  await ana.presses("Turn off");
  await ana.confirms("Turn off");
  await ana.sees("Nobody can join with a link.");
  await ben.enters(url);
  await ben.isTold("This link no longer works. Ask for a new one.");
});

test("the link is copied", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ana.createsGroup("Climbers");
  await ana.opensMembers();
  const url = await shares(ana);
  await ana.presses("Copy");
  await ana.sees("Link copied.");
  await becomes(() => ana.page.evaluate(() => navigator.clipboard.readText()), url);
});

test("one leaves a group, and comes back by oneself", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.opensMembers();
  await ben.presses("Leave group");
  await ben.confirms("Leave");
  await ben.inList("Climbers").waitFor({ state: "detached" });
  await ana.sees("Only you so far");
  await ben.presses("Groups you left");
  await ben.presses("Rejoin Climbers");
  await ben.isReading("Climbers");
  await ben.reads("rope at six");
  await ana.sees("You, Ben");
  await ben.writes("back again");
  await ana.reads("back again");
});

test("a removed member cannot rejoin alone", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.opensPerson("Ben");
  await ana.presses("Remove from Climbers");
  await ana.confirms("Remove");
  await ana.sees("1 member");
  await ben.sees("Group not found");
  assert.deepEqual(await ben.call("GET", "/v3/groups/former"), []);
  await ben.presses("Groups you left");
  await ben.sees("None. Groups that you leave appear here, so that you can rejoin them.");
});

test("a plain member is offered nothing that only the owner may", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  await ana.hasGroup("Climbers", ben, cleo);
  await ben.opens("Climbers");
  await ben.opensMembers();
  await becomes(() => ben.page.getByRole("button", { name: "Delete group" }).isVisible(), false);
  await ben.opensPerson("Cleo");
  const dialog = ben.page.getByRole("dialog");
  await dialog.getByRole("link", { name: "Message Cleo" }).waitFor();
  await becomes(() => dialog.getByRole("button", { name: /^Remove|^Make/ }).count(), 0);
});

test("a group is handed over, and its former owner can then leave", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.sees("To leave, hand the group over to another member first.");
  await ana.opensPerson("Ben");
  await ana.presses("Make Ben the owner");
  await ana.confirms("Hand over");
  await panel(ana).getByRole("listitem").filter({ hasText: "Ben" }).getByText("Owner").waitFor();
  await ben.opens("Climbers");
  await ben.opensMembers();
  await panel(ben).getByRole("button", { name: "Delete group" }).waitFor();
  await ana.presses("Leave group");
  await ana.confirms("Leave");
  await ben.sees("1 member");
});

test("a group is ended for everybody", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Delete group");
  await ana.sees("The group and everything in it is deleted for all its members, for good.");
  await ana.confirms("Delete group");
  await ana.inList("Climbers").waitFor({ state: "detached" });
  await ben.sees("Group not found");
});

test("a group gets another name and description, and a closed group keeps them", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ben.opensMembers();
  await panel(ben).getByRole("button", { name: "Name and description" }).waitFor();
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  await ana.fills({ Name: "", "Description (optional)": "Real rock" });
  await ana.presses("Save");
  await ana.sees("Give the group a name.");
  await ana.fills({ Name: "North wall" });
  await ana.page.getByLabel("What members may do").selectOption({ label: "Post" });
  await ana.presses("Save");
  await ben.isReading("North wall");
  await panel(ben).getByText("Real rock").waitFor();
  await panel(ben).getByRole("button", { name: "Name and description" }).waitFor({ state: "hidden" });
  await panel(ben).getByRole("button", { name: "Add someone" }).waitFor({ state: "hidden" });
});

test("the list shows muting and unmuting", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ben.hasGroup("Climbers", ana);
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Mute");
  await ana.sees("You get no notifications of this group. You still see what is new.");
  await ana.inList(/Climbers.*Muted/s).waitFor();
  await ana.page.reload();
  await ana.presses("Unmute");
  await ana.inList("Climbers").filter({ hasNotText: "Muted" }).waitFor();
});

test("a silent group offers its link, which a camera reads too", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  const climbers = await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.presses("Invite by a link");
  const invites = (/** @type {Person} */ person) =>
    person.page.getByRole("dialog", { name: "Invite to Climbers" });
  await invites(ana).getByRole("img", { name: "QR code of the link" }).waitFor();
  await ben.enters((await invites(ana).locator("code").textContent()) ?? "");
  const question = (/** @type {Person} */ person) =>
    person.page.getByRole("dialog", { name: "Join this group?" });
  await question(ben).getByText("Ana invites you.").waitFor();
  await ben.presses("Join the group");
  await ben.isReading("Climbers");
  // The link names the person who shared it.
  await ben.opensMembers();
  await ben.presses("QR code");
  await invites(ben).getByRole("img", { name: "QR code of the link" }).waitFor();
  const link = await ben.page.getByLabel("Share link", { exact: true }).inputValue();
  assert.match(link, new RegExp(`/join_group/${climbers.id}/.*from=${ben.id}$`));
  await cleo.enters(link);
  await question(cleo).getByText("Ben invites you.").waitFor();
  await question(cleo).getByText("2 members").waitFor();
});
