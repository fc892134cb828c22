/** Requests for accounts: people ask with a sentence, and log in once an operator approves them. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { Issuer } from "../issuer.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const APPROVAL = ["--registration", "approval"];
const ABOUT = "Who are you, and why do you want an account?";
/** A word that fits no phone. */
const LONG = "climbing".repeat(30);

const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("region", { name: "Requests", exact: true }).getByRole("listitem");

const hasFocus = (/** @type {import("playwright-core").Locator} */ node) =>
  node.evaluate((one) => one === document.activeElement);

const fits = (/** @type {Person} */ { page }) =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Opens the requests from another page for operators, so that they are loaded. */
async function opensRequests(/** @type {Person} */ ana) {
  const pages = ana.page.getByRole("navigation", { name: "Administration" });
  await pages.getByRole("link", { name: "People", exact: true }).click();
  await pages.getByRole("link", { name: "Requests", exact: true }).click();
}

/** The id of the only one who asks. @returns {Promise<string>} */
async function requesterOf(/** @type {Person} */ ana) {
  const waiting = async () => (await ana.call("GET", "/v3/admin/requests")).requests;
  await becomes(async () => (await waiting()).length, 1);
  return (await waiting())[0].user.id;
}

/** Asks for an account, and reads that operators decide. */
async function asks(/** @type {Person} */ person, /** @type {string} */ about) {
  await person.registers({ [ABOUT]: about });
  await person.page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
  await person.sees("Your request was sent. You can log in once the operators approve it.");
}

test("an operator approves a request for an account and refuses another, on a phone", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana", { phone: true });
  const { page } = ana;
  await page.setViewportSize({ width: 360, height: 640 });
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Settings", exact: true }).press("Enter");
  const mode = page.getByLabel("Who may create an account");
  await becomes(() => mode.isEnabled(), true);
  await mode.selectOption("Whom operators approve");
  await ana.sees("Everybody may ask, with a sentence. Operators approve or refuse them under Requests.");
  await page.getByLabel("Reason").fill("too many strangers");
  await ana.presses("Save");
  await ana.sees("Saved.");
  await becomes(() => mode.inputValue(), "approval");

  const ben = await world.visitor("Ben");
  await ben.presses("Create an account");
  await ben.sees("The operators of this server read it, and decide.");
  await becomes(() => violations(ben), [], "the form");
  await ben.fills({ "Your name": "Ben", Email: ben.email, Password: ben.password });
  await ben.presses("Create account");
  await ben.sees("Write a sentence about yourself.");
  await becomes(() => hasFocus(ben.page.getByLabel(ABOUT)), true);
  await ben.fills({ [ABOUT]: `From the climbing course.\n${LONG}` });
  await ben.presses("Create account");
  await ben.sees("Your request was sent. You can log in once the operators approve it.");
  await ben.page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
  await ben.fills({ Password: ben.password });
  await ben.presses("Log in");
  await ben.isTold("The operators have not approved this account yet.");
  const cleo = await world.visitor("Cleo");
  await asks(cleo, "I sell ropes.");

  await opensRequests(ana);
  await becomes(() => rows(ana).count(), 2);
  await rows(ana).nth(0).getByText("From the climbing course.").waitFor();
  await rows(ana).nth(0).getByText(ben.email).waitFor();
  await rows(ana).nth(1).getByText("I sell ropes.").waitFor();
  await becomes(() => fits(ana), true);
  await becomes(() => violations(ana), [], "the list");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Approve Ben", exact: true }).press("Enter");
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await ana.sees("Enter a reason.");
  await becomes(() => fits(ana), true);
  await dialog.getByLabel("Reason").fill("from the course");
  await dialog.getByLabel("Reason").press("Enter");
  await ana.sees("Ben can log in now.");
  await becomes(() => rows(ana).count(), 1);
  await becomes(() => hasFocus(page.getByRole("link", { name: "Cleo", exact: true })), true);
  await ben.presses("Log in");
  await ben.isConnected();

  await page.getByRole("button", { name: "Refuse Cleo", exact: true }).press("Enter");
  await ana.sees("The account is deleted, and the address may register again.");
  await dialog.getByLabel("Reason").fill("advertises");
  await dialog.getByRole("button", { name: "Refuse", exact: true }).click();
  await ana.sees("The request of Cleo was refused.");
  const nobody = page.getByText("Nobody asks for an account.");
  await nobody.waitFor();
  await becomes(() => hasFocus(nobody), true);
  await cleo.fills({ Password: cleo.password });
  await cleo.presses("Log in");
  await cleo.isTold("Wrong email or password.");
  await asks(cleo, "I climb, too.");
  await opensRequests(ana);
  await rows(ana).filter({ hasText: "I climb, too." }).waitFor();
  await page.getByRole("link", { name: "Cleo", exact: true }).click();
  await ana.sees("Waits for the approval of the operators");
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees("Request for an account approved: Ben");
  await ana.sees("from the course");
  await ana.sees(/^Request for an account refused/);
  await ana.sees("advertises");
});

test("a request that another operator decided leaves the list", async (t) => {
  const world = await World.startEmpty(t, APPROVAL);
  const ana = await world.admin("Ana");
  const ben = await world.visitor("Ben");
  await asks(ben, "A friend of Ana.");
  await ana.visits("/admin");
  await opensRequests(ana);
  await rows(ana).filter({ hasText: "A friend of Ana." }).waitFor();
  const decision = { action: "approve", reason: "we met" };
  await ana.call("POST", `/v3/admin/requests/${await requesterOf(ana)}`, decision);
  await ana.presses("Refuse Ben");
  const dialog = ana.page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("unknown");
  await dialog.getByLabel("Reason").press("Enter");
  await ana.sees("Somebody else decided about Ben already.");
  await ana.sees("Nobody asks for an account.");
  await ben.logsIn();
  await ben.isConnected();
});

test("an auditor reads requests and decides nothing", async (t) => {
  const world = await World.startEmpty(t, APPROVAL);
  const ana = await world.admin("Ana");
  const [ben, cleo] = [await world.visitor("Ben"), await world.visitor("Cleo")];
  await asks(ben, "A friend of Ana.");
  const id = await requesterOf(ana);
  await ana.call("POST", `/v3/admin/requests/${id}`, { action: "approve", reason: "we met" });
  await ana.call("POST", `/v3/admin/users/${id}/role`, { role: "auditor", reason: "they look" });
  await asks(cleo, "A friend of Ben.");
  await ben.logsIn();
  await ben.isConnected();
  await ben.visits("/admin");
  await ben.sees("Your role: Auditor");
  await opensRequests(ben);
  await rows(ben).filter({ hasText: "A friend of Ben." }).waitFor();
  await becomes(() => rows(ben).getByRole("button").count(), 0);
});

test("a log-in with a provider makes a request that an operator approves", async (t) => {
  const issuer = await Issuer.start(t);
  const world = await World.startEmpty(t, [...issuer.options(), ...APPROVAL, "--oidc-create"]);
  world.trusts(new URL(issuer.url).host);
  const ana = await world.admin("Ana");
  issuer.person = { sub: "ben", name: "Ben", email: "ben@example.com", email_verified: true };
  const ben = await world.visitor("Ben");
  const provider = ben.page.getByRole("link", { name: "Log in with Example ID" });
  await provider.click();
  await ben.isTold("The operators have not approved this account yet.");
  await ana.visits("/admin");
  await opensRequests(ana);
  await rows(ana).filter({ hasText: "Came by single sign-on." }).waitFor();
  await ana.presses("Approve Ben");
  const dialog = ana.page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("works here");
  await dialog.getByLabel("Reason").press("Enter");
  await ana.sees("Ben can log in now.");
  await ben.page.getByRole("link", { name: "Back to log in" }).click();
  await provider.click();
  await ben.isConnected();
});

test("a guest comes by a link without the approval of operators", async (t) => {
  const world = await World.startEmpty(t, APPROVAL);
  const ana = await world.admin("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.call("PUT", "/v3/admin/settings", { guests: "on", reason: "a course" });
  const { invite } = await ana.call("POST", `/v3/groups/${climbers.id}/invites`, { guest: true });
  const gil = await world.visitor("Gil", { path: new URL(invite.url).pathname });
  await gil.sees("You are invited to a group. Log in, or create a guest account to join it.");
  await becomes(() => gil.page.getByLabel(ABOUT).isVisible(), false);
  await gil.fills({ "Your name": "Gil", Email: gil.email, Password: gil.password });
  await gil.presses("Create account");
  await gil.isConnected();
  await gil.isReading("Climbers");
});
