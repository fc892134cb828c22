/** Pinned conversations and folders: by pointer, keys and fingers, the same on all devices of a person. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Locator} Locator */

const PATH = "/v3/conversation_list";

const menu = (/** @type {Person} */ { page }) => page.getByRole("menu", { name: "Conversation actions" });
const action = (/** @type {Person} */ person, /** @type {string} */ name) =>
  menu(person).getByRole("menuitem", { name, exact: true });
const more = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
  page.getByRole("button", { name: `Actions for ${name}`, exact: true });
/** The window about folders. */
const folders = (/** @type {Person} */ { page }) =>
  page.getByRole("dialog", { name: "Folders", exact: true });
const box = (/** @type {Person} */ person, /** @type {string} */ name) =>
  folders(person).getByRole("checkbox", { name, exact: true });
/** The tab of a folder, with its count where it has one. */
const tab = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
  page.getByRole("tab", { name, exact: true });
const tabs = (/** @type {Person} */ { page }) => page.getByRole("tab").allInnerTexts();

/** The names in the list, from above. */
const names = (/** @type {Person} */ { page }) =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll(".groups > li")];
    const top = (/** @type {Element} */ row) => row.getBoundingClientRect().top;
    return rows
      .sort((a, b) => top(a) - top(b))
      .map((row) => row.querySelector(".group-name bdi")?.textContent);
  });

const hasFocus = (/** @type {Locator} */ node) => node.evaluate((one) => one === document.activeElement);

/** Opens the menu of a conversation with a right-click, and takes an action. */
async function takes(/** @type {Person} */ person, /** @type {string} */ row, /** @type {string} */ name) {
  await person.inList(row).click({ button: "right" });
  await action(person, name).click();
  await menu(person).waitFor({ state: "detached" });
}

/** Closes the window that is open, once one above it has left the history: browsers drop an Escape before that. */
async function closes(/** @type {Person} */ person) {
  await becomes(() => person.page.evaluate(() => history.state.windows), 1);
  await person.page.keyboard.press("Escape");
  await person.page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Another browser of the same person. */
async function elsewhere(/** @type {World} */ world, /** @type {Person} */ person) {
  const other = await world.visitor(person.name);
  [other.id, other.token] = [person.id, person.token];
  await other.isSignedIn();
  return other;
}

/** Ana and Ben, and groups of both; the last one has the most recent activity. */
async function withGroups(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {string[]} */ called,
  how = {},
) {
  const world = await World.start(t);
  const [ana, ben] = [await world.person("Ana", how), await world.person("Ben")];
  /** @type {{ id: string, name: string }[]} */
  const groups = [];
  for (const name of called) {
    const group = await ana.hasGroup(name, ben);
    await ana.says(group, `hello ${name}`);
    groups.push(group);
  }
  await becomes(() => names(ana), [...called].reverse());
  return { world, ana, ben, groups };
}

const arranges = (/** @type {Person} */ person, /** @type {object} */ parts) =>
  person.call("PUT", PATH, parts);

test("pinned conversations stand first in their order, on every device", async (t) => {
  const { world, ana, groups } = await withGroups(t, ["Climbers", "Book club", "Office"]);
  const [climbers, book] = groups;
  const other = await elsewhere(world, ana);
  await ana.inList("Climbers").click({ button: "right" });
  await becomes(() => action(ana, "Move up").count(), 0);
  await action(ana, "Pin").click();
  await becomes(() => names(ana), ["Climbers", "Office", "Book club"]);
  await ana.inList(/^Climbers.*Pinned/s).waitFor();
  await takes(ana, "Book club", "Pin");
  for (const page of [ana, other]) await becomes(() => names(page), ["Climbers", "Book club", "Office"]);
  await becomes(async () => (await ana.call("GET", PATH)).pinned_conversation_ids, [climbers.id, book.id]);

  await takes(other, "Book club", "Move up");
  for (const page of [ana, other]) await becomes(() => names(page), ["Book club", "Climbers", "Office"]);
  await takes(ana, "Book club", "Move down");
  for (const page of [ana, other]) await becomes(() => names(page), ["Climbers", "Book club", "Office"]);
  await ana.says(groups[2], "a newer message");
  await ana.inList(/^Office.*a newer message/s).waitFor();
  await becomes(() => names(ana), ["Climbers", "Book club", "Office"]);

  await ana.page.reload();
  await ana.isConnected();
  await becomes(() => names(ana), ["Climbers", "Book club", "Office"]);
  await takes(ana, "Climbers", "Unpin");
  for (const page of [ana, other]) await becomes(() => names(page), ["Book club", "Office", "Climbers"]);
});

test("the menu of a row marks as read and mutes", async (t) => {
  const { ana, ben, groups } = await withGroups(t, ["Climbers"]);
  await ben.says(groups[0], "rope at six");
  await ben.writesTo(ana, "chalk?");
  for (const name of ["Climbers", "Ben"]) {
    await ana.inList(new RegExp(`^${name}.*Unread`, "s")).waitFor();
    await takes(ana, name, "Mark as read");
    await ana.inList(name).filter({ hasNotText: "Unread" }).waitFor();
    await takes(ana, name, "Mute");
    await ana.inList(name).filter({ hasText: "Muted" }).waitFor();
    await ana.inList(name).click({ button: "right" });
    await becomes(() => action(ana, "Mark as read").count(), 0);
    await action(ana, "Unmute").click();
    await ana.inList(name).filter({ hasNotText: "Muted" }).waitFor();
  }
  const unread = async () => (await ana.call("GET", "/v3/sync")).groups[0].unread;
  await becomes(unread, 0);
});

test("a folder made from a row filters the list and counts what is unread", async (t) => {
  const { world, ana, ben, groups } = await withGroups(t, ["Climbers", "Book club", "Office"]);
  const other = await elsewhere(world, ana);
  await becomes(() => tabs(ana), []);
  await takes(ana, "Office", "Folders…");
  await folders(ana).getByText("No folders yet.").waitFor();
  await ana.page.getByLabel("New folder").fill("Work");
  await ana.presses("Create");
  await becomes(() => box(ana, "Work").isChecked(), true);
  await becomes(() => violations(ana), [], "the folders of a conversation");
  await closes(ana);
  for (const page of [ana, other]) await tab(page, "Work").waitFor();

  await takes(ana, "Climbers", "Folders…");
  await box(ana, "Work").check();
  await closes(ana);
  await takes(ana, "Climbers", "Pin");
  await tab(ana, "Work").click();
  await becomes(() => names(ana), ["Climbers", "Office"], "the pinned one first");
  await becomes(() => tab(ana, "Work").getAttribute("aria-selected"), "true");
  await becomes(() => names(other), ["Climbers", "Office", "Book club"], "the choice is one of the device");

  await ben.says(groups[2], "the printer is on fire");
  await ben.says(groups[1], "chapter one");
  await tab(ana, "Work Unread: 1").waitFor();
  await tab(ana, "All Unread: 2").waitFor();
  await becomes(() => violations(ana), [], "the list with folders");
  await ana.opens("Office");
  await tab(ana, "Work").waitFor();
  await tab(ana, "All Unread: 1").waitFor();
  await ana.page.keyboard.press("Alt+ArrowUp");
  await ana.isReading("Climbers");

  await ana.page.reload();
  await ana.isConnected();
  await becomes(() => names(ana), ["Climbers", "Office"]);
  await tab(ana, "All Unread: 1").click();
  await becomes(async () => (await names(ana)).length, 3);
});

test("folders are renamed, ordered and deleted", async (t) => {
  const { ana, groups } = await withGroups(t, ["Climbers", "Office"]);
  const folder = (/** @type {string} */ name, /** @type {string[]} */ ...ids) => ({
    name,
    conversation_ids: ids,
  });
  await arranges(ana, { folders: [folder("Work", groups[1].id), folder("Play"), folder("Home")] });
  await becomes(() => tabs(ana), ["All", "Work", "Play", "Home"]);
  await tab(ana, "Work").click();
  await becomes(() => names(ana), ["Office"]);

  await ana.presses("Folders");
  const row = (/** @type {string} */ name) => folders(ana).getByRole("button", { name, exact: true });
  await row("Rename: Work").click();
  const renaming = ana.page.getByRole("dialog", { name: "Rename folder" });
  await becomes(() => violations(ana), [], "renaming");
  await renaming.getByLabel("Name").fill("play");
  await renaming.getByRole("button", { name: "Save" }).click();
  await renaming.getByText("There is a folder with this name already.").waitFor();
  await renaming.getByLabel("Name").fill("Office work");
  await renaming.getByLabel("Name").press("Enter");
  await renaming.waitFor({ state: "detached" });
  await becomes(() => tabs(ana), ["All", "Office work", "Play", "Home"]);
  await becomes(() => names(ana), ["Office"], "the renamed folder stays chosen");

  await row("Move Home up").click();
  await becomes(() => tabs(ana), ["All", "Office work", "Home", "Play"]);
  await becomes(() => hasFocus(row("Move Home up")), true);
  await row("Move Office work down").click();
  await becomes(() => tabs(ana), ["All", "Home", "Office work", "Play"]);
  await becomes(() => violations(ana), [], "all folders");

  await row("Delete: Play").click();
  await becomes(() => tabs(ana), ["All", "Home", "Office work"]);
  await row("Delete: Office work").click();
  await ana.page
    .getByRole("dialog", { name: "Delete Office work?" })
    .getByRole("button", { name: "Delete" })
    .click();
  await becomes(() => tabs(ana), ["All", "Home"]);
  await becomes(() => hasFocus(row("Rename: Home")), true);
  await closes(ana);
  await becomes(() => names(ana), ["Office", "Climbers"], "a deleted folder filters nothing");
  await becomes(async () => (await ana.call("GET", PATH)).folders, [folder("Home")]);

  await tab(ana, "Home").click();
  await ana.sees("No conversations in Home.");
  await becomes(() => violations(ana), [], "an empty folder");
  await ana.presses("Show all conversations");
  await becomes(() => names(ana), ["Office", "Climbers"]);
  await becomes(() => hasFocus(tab(ana, "All")), true);
});

test("the keyboard pins, makes folders and goes through the tabs", async (t) => {
  const { ana } = await withGroups(t, ["Climbers", "Book club", "Office"]);
  const { keyboard } = ana.page;
  await ana.inList("Climbers").focus();
  await keyboard.press("Shift+F10");
  await becomes(() => hasFocus(action(ana, "Pin")), true);
  await keyboard.press("Enter");
  await becomes(() => names(ana), ["Climbers", "Office", "Book club"]);
  await becomes(() => hasFocus(ana.inList("Climbers")), true, "the focus stays on the row");

  await keyboard.press("Tab");
  await becomes(() => hasFocus(more(ana, "Climbers")), true);
  await becomes(() => violations(ana), [], "a row with its button");
  await keyboard.press("Enter");
  await becomes(() => hasFocus(action(ana, "Unpin")), true);
  await keyboard.press("f");
  await becomes(() => hasFocus(action(ana, "Folders…")), true);
  await keyboard.press("Enter");
  await becomes(() => hasFocus(folders(ana).getByLabel("New folder")), true);
  await keyboard.press("Enter");
  await folders(ana).getByText("Enter a name.").waitFor();
  for (const name of ["Work", "Play"]) {
    await keyboard.type(name);
    await keyboard.press("Enter");
    await becomes(() => box(ana, name).isChecked(), true);
  }
  await keyboard.press("Shift+Tab");
  await becomes(() => hasFocus(box(ana, "Play")), true);
  await keyboard.press("Space");
  await becomes(() => box(ana, "Play").isChecked(), false);
  await closes(ana);
  await becomes(() => hasFocus(more(ana, "Climbers")), true);

  await tab(ana, "All").focus();
  await keyboard.press("ArrowRight");
  await becomes(() => hasFocus(tab(ana, "Work")), true);
  await becomes(() => names(ana), ["Climbers"]);
  await keyboard.press("End");
  await ana.sees("No conversations in Play.");
  await keyboard.press("ArrowRight");
  await becomes(() => hasFocus(tab(ana, "All")), true);
  await becomes(async () => (await names(ana)).length, 3);
  await keyboard.press("ArrowLeft");
  await ana.sees("No conversations in Play.");
});

test("a long press opens the menu on a phone, and the tabs scroll", async (t) => {
  const { ana, groups } = await withGroups(t, ["Climbers", "Office"], { phone: true });
  await ana.page.setViewportSize({ width: 320, height: 640 });
  const called = ["Work", "Friends and family", "Reading and writing"];
  const all = called.map((name) => ({ name, conversation_ids: [groups[0].id] }));
  await arranges(ana, { folders: all.slice(1) });
  await tab(ana, "Reading and writing").waitFor();
  const at = await ana.inList("Climbers").evaluate((node) => {
    const { left, top } = node.getBoundingClientRect();
    return { x: left + 60, y: top + 24 };
  });
  const devtools = await ana.page.context().newCDPSession(ana.page);
  const touches = (/** @type {"touchStart" | "touchEnd"} */ type, /** @type {object[]} */ ...touchPoints) =>
    devtools.send("Input.dispatchTouchEvent", /** @type {any} */ ({ type, touchPoints }));
  await touches("touchStart", at);
  await action(ana, "Pin").waitFor();
  await touches("touchEnd");
  await becomes(() => ana.page.locator(".menu-sheet .menu-message").innerText(), "Climbers");
  await becomes(() => violations(ana), [], "the sheet");
  await action(ana, "Pin").tap();
  await becomes(() => names(ana), ["Climbers", "Office"]);
  await becomes(() => ana.page.locator(".shell").getAttribute("data-view"), "home", "nothing was opened");

  await ana.page.getByRole("button", { name: "Folders", exact: true }).tap();
  await folders(ana).getByRole("button", { name: "Rename: Friends and family" }).waitFor();
  // The tabs scroll.
  await becomes(async () => (await cutOff(ana)).filter((it) => !it.startsWith("BUTTON.tab")), []);
  await becomes(() => violations(ana), [], "all folders");
  await closes(ana);

  await tab(ana, "All").focus();
  await ana.page.keyboard.press("End");
  const isInView = () =>
    tab(ana, "Reading and writing").evaluate((node) => {
      const { left, right } = node.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
  await becomes(isInView, true);
  await becomes(() => ana.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await becomes(() => names(ana), ["Climbers"]);
});

test("a refused change is taken back, and the page says why", async (t) => {
  const { ana } = await withGroups(t, ["Climbers", "Office"]);
  const body = JSON.stringify({ meta: { code: 400, errors: ["not now"] }, response: null });
  await ana.page.route(`**${PATH}`, (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 400, contentType: "application/json", body })
      : route.continue(),
  );
  await takes(ana, "Climbers", "Pin");
  await ana.isTold("Nothing was changed. Not now.");
  await becomes(() => names(ana), ["Office", "Climbers"]);
  await takes(ana, "Climbers", "Folders…");
  await ana.page.getByLabel("New folder").fill("Work");
  await ana.presses("Create");
  await folders(ana).getByText("Not now.", { exact: true }).waitFor();
  await becomes(() => ana.page.getByLabel("New folder").getAttribute("aria-invalid"), "true");
  await becomes(() => tabs(ana), []);
  await ana.page.unroute(`**${PATH}`);
  await ana.presses("Create");
  await tab(ana, "Work").waitFor({ state: "attached" });
});

test("without a connection the list is as it was, and no change is made", async (t) => {
  const { ana, groups } = await withGroups(t, ["Climbers", "Office"]);
  await arranges(ana, {
    pinned_conversation_ids: [groups[0].id],
    folders: [{ name: "Work", conversation_ids: [groups[0].id] }],
  });
  await becomes(() => names(ana), ["Climbers", "Office"]);
  const isKept = async () => {
    const shell = await caches.open("coterie.shell");
    const worker = await navigator.serviceWorker.getRegistration();
    const files = (await shell.keys()).map(({ url }) => url);
    if (!worker?.active || !(await shell.match("/")) || !files.some((url) => url.includes("all_windows")))
      return "";
    if (!(await indexedDB.databases()).some(({ name }) => name === "coterie")) return "";
    /** @type {IDBDatabase} */
    const db = await new Promise((resolve) => {
      const asked = indexedDB.open("coterie");
      asked.onsuccess = () => resolve(asked.result);
    });
    const owner = await new Promise((resolve) => {
      const asked = db.transaction("owner").objectStore("owner").get("owner");
      asked.onsuccess = () => resolve(asked.result);
    });
    db.close();
    return owner?.conversationList?.folders[0]?.name ?? "";
  };
  await becomes(() => ana.page.evaluate(isKept), "Work");
  await ana.world.server.isKilled();
  await ana.page.reload();
  await ana.sees(/^Offline\. Reconnecting…/);
  await becomes(() => names(ana), ["Climbers", "Office"]);
  await tab(ana, "Work").click();
  await becomes(() => names(ana), ["Climbers"]);
  await takes(ana, "Climbers", "Unpin");
  await ana.isTold("Nothing was changed. The server cannot be reached. Check your connection.");
  await ana.inList(/^Climbers.*Pinned/s).waitFor();
  await takes(ana, "Climbers", "Folders…");
  await box(ana, "Work").click();
  await folders(ana).getByText("Nothing was changed.").waitFor();
  await becomes(() => box(ana, "Work").isChecked(), true);
});
