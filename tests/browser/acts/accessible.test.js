/** Every main screen and window, looked at by axe: nothing that it knows keeps anybody out. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** What keeps somebody out, on the screens that were looked at. @type {string[]} */
let troubles = [];
afterEach(() => {
  const found = troubles;
  troubles = [];
  assert.deepEqual(found, []);
});

const SCHEMES = [
  { name: "light", look: { theme: "light" } },
  { name: "dark", look: { theme: "dark" } },
  { name: "dark with high contrast", look: { theme: "dark", contrast: "more" } },
  {
    name: "light with high contrast, compact",
    look: { theme: "light", contrast: "more", density: "compact" },
  },
];

/** Looks at what is open in each of the colours. */
async function isForEverybody(/** @type {Person} */ person, /** @type {string} */ screen) {
  for (const { name, look } of SCHEMES) {
    await person.page.evaluate((text) => {
      localStorage.setItem("coterie.look", text);
      dispatchEvent(new Event("coterie-look"));
    }, JSON.stringify(look));
    // Where the page moved, the day at the edge of the messages comes and fades.
    await person.page.waitForFunction(() => !document.querySelector(".floating-day-shown"));
    // Colours fade from one to the other.
    await person.page.evaluate(() =>
      Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))),
    );
    for (const one of await violations(person)) troubles.push(`${screen}, ${name}: ${one}`);
  }
}

/** Opens each, looks, and closes it again. */
async function opensAll(
  /** @type {Person} */ person,
  /** @type {Record<string, () => Promise<unknown>>} */ windows,
) {
  for (const [name, opens] of Object.entries(windows)) {
    await opens();
    const dialog = person.page.getByRole("dialog");
    await dialog.waitFor();
    await isForEverybody(person, name);
    await person.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
}

test("the pages before one is signed in", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await isForEverybody(ana, "log in");
  await ana.presses("Create an account");
  await ana.presses("Create account");
  await ana.sees("Enter your name.");
  await isForEverybody(ana, "create an account, with what is missing");
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await ana.sees("No conversations yet.");
  await isForEverybody(ana, "nothing here yet");
});

/** An event and a poll, which lie as cards in a message. */
async function plansAndAsks(/** @type {Person} */ who, /** @type {{ id: string }} */ group) {
  const times = { start_at: "2100-01-01T18:00:00Z", end_at: "2100-01-01T21:00:00Z", timezone: "UTC" };
  const event = { name: "Climb", is_all_day: false, ...times };
  await who.call("POST", `/v3/conversations/${group.id}/events/create`, event);
  const options = [{ title: "at six" }, { title: "at seven" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  await who.call("POST", `/v3/poll/${group.id}`, poll);
}

for (const phone of [false, true]) {
  test(`the screens of a conversation, ${phone ? "on a phone" : "on a computer"}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("Ana", { phone });
    const ben = await world.person("Ben");
    const climbers = await ana.hasGroup("Climbers", ben);
    await ben.says(climbers, "rope at six, see https://example.org/a?b=c");
    await ana.says(climbers, "I am in 🧗");
    await ben.writesTo(ana, "do you still have my chalk bag?");
    await ana.writesTo(ben, "yes");
    for (const who of [ana, ben]) await plansAndAsks(who, climbers);
    await ana.visits(`/#/groups/${climbers.id}`);
    await ana.reads("I am in 🧗");
    await ana.writes("now from here");
    await ana.knowsItIsSent("now from here");
    await isForEverybody(ana, "a group");
    await ana.visits(`/#/groups/${climbers.id}/members`);
    await ana.page.getByRole("complementary", { name: "Details" }).waitFor();
    await isForEverybody(ana, "members");
    await opensAll(ana, { somebody: () => ana.opensPerson("Ben") });
    const [one, other] = [ana.id, ben.id].sort((a, b) => Number(a) - Number(b));
    await ana.visits(`/#/chats/${one}+${other}`);
    await ana.reads("yes");
    await isForEverybody(ana, "a chat");
    await ana.visits("/#/");
    await ana.inList("Climbers").waitFor();
    await isForEverybody(ana, "all conversations");
  });
}

test("a button is shown when it is known what it does", async (t) => {
  const { ana } = await World.climbing(t);
  /** @type {() => void} */
  let answers = () => {};
  const asked = new Promise((resolve) => {
    answers = () => resolve(undefined);
  });
  await ana.page.route("**/v3/users/me", async (route) => {
    await asked;
    await route.continue();
  });
  await ana.visits("/#/account");
  await ana.page.getByRole("heading", { name: "SMS mode" }).waitFor();
  await isForEverybody(ana, "an account that is still being asked for");
  answers();
  await ana.sees("This account has no phone number for SMS.");
});

test("the account, and the windows that ask", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.hasLeft("Book club", ben);
  const all = ["Work", "Friends and family"].map((name) => ({ name, conversation_ids: [climbers.id] }));
  await ana.call("PUT", "/v3/conversation_list", { pinned_conversation_ids: [climbers.id], folders: all });
  for (const part of ["account", "account/bots", "account/applications", `groups/${climbers.id}/bots`]) {
    await ana.visits(`/#/${part}`);
    await ana.page.getByRole("main").getByRole("heading").first().waitFor();
    await isForEverybody(ana, part);
  }
  await ana.visits(`/#/groups/${climbers.id}/members`);
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  const byButton = (/** @type {string} */ name) => () =>
    ana.page.getByRole("button", { name, exact: true }).first().click();
  await opensAll(ana, {
    "new group": byButton("New group"),
    "new message": byButton("New message"),
    "groups you left": byButton("Groups you left"),
    "find groups": byButton("Find groups"),
    folders: byButton("Folders"),
    "the menu of a conversation": () => ana.inList("Climbers").click({ button: "right" }),
    "the folders of a conversation": async () => {
      await ana.inList("Climbers").click({ button: "right" });
      await ana.page.getByRole("menuitem", { name: "Folders…" }).click();
    },
    "your picture": byButton("Your picture"),
    "add someone": () => panel.getByRole("button", { name: "Add someone" }).click(),
    "your name here": () => panel.getByRole("button", { name: "Your name here" }).click(),
    "most liked": () => panel.getByRole("button", { name: "Most liked" }).click(),
    emoji: byButton("Add an emoji"),
    "group settings": () => panel.getByRole("button", { name: "Name and description" }).click(),
    "go to": byButton("Go to (Ctrl K)"),
    "keyboard shortcuts": async () => {
      await ana.inList("Climbers").focus();
      await ana.page.keyboard.press("?");
    },
  });
});

for (const phone of [false, true]) {
  test(`the pages of the panel, ${phone ? "on a phone" : "on a computer"}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("Ana", { phone });
    const ben = await world.person("Ben");
    const climbers = await ana.hasGroup("Climbers", ben);
    const { id } = await ben.says(climbers, "see https://example.org/topo");
    await ana.call("POST", `/v3/conversations/${climbers.id}/messages/${id}/pin`);
    await plansAndAsks(ana, climbers);
    await ben.writesTo(ana, "hello");
    const [one, other] = [ana.id, ben.id].sort((a, b) => Number(a) - Number(b));
    const pages = {
      details: "Details",
      pinned: "Pinned messages",
      gallery: "Gallery",
      polls: "Polls",
      events: "Events",
      notices: "Notifications",
    };
    for (const [page, name] of Object.entries(pages)) {
      await ana.visits(`/#/groups/${climbers.id}/${page}`);
      await ana.page.getByRole("complementary", { name, exact: true }).waitFor();
      const waits = ana.page.locator(".panel").getByText(/^(Loading…|Searching messages…)$/);
      await becomes(() => waits.filter({ visible: true }).count(), 0);
      await isForEverybody(ana, name);
    }
    await ana.visits(`/#/chats/${one}+${other}/details`);
    await ana.page.getByRole("button", { name: "Block Ben" }).waitFor();
    await isForEverybody(ana, "the details of a chat");
  });

  test(`the windows of a message, ${phone ? "on a phone" : "on a computer"}`, async (t) => {
    const world = await World.start(t);
    const ana = await world.person("Ana", { phone });
    const ben = await world.person("Ben");
    const climbers = await ana.hasGroup("Climbers", ben);
    const asked = await ben.says(climbers, "rope at six?");
    const attachments = [{ type: "reply", reply_id: asked.id }];
    const message = { source_guid: "answer", text: "fine", attachments };
    await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
    await ana.visits(`/#/groups/${climbers.id}`);
    await ana.page.reload();
    const act = (/** @type {string} */ name) => async () => {
      const button = ana.line("fine").getByRole("button", { name: "More actions", exact: true });
      // By keyboard, for which the place of the buttons makes no difference.
      await button.focus();
      await button.press("Enter");
      if (name !== "") await ana.page.getByRole("menuitem", { name, exact: true }).press("Enter");
    };
    await ana.page.getByRole("button", { name: "1 reply" }).waitFor();
    await opensAll(ana, {
      "the menu of a message": act(""),
      forward: act("Forward…"),
      "about a message": act("About this message"),
    });
    await ana.presses("1 reply");
    const replies = ana.page.getByRole("complementary", { name: "Replies" });
    await replies.getByText("fine", { exact: true }).waitFor();
    await isForEverybody(ana, "replies");
    await replies.getByRole("link", { name: "Close details" }).click();
    await replies.waitFor({ state: "hidden" });
    const time = ana.line("fine").locator("time");
    await time.focus();
    await isForEverybody(ana, "the time of a message");
  });
}
