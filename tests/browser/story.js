/**
 * The story of somebody's first days with the client, in thirty-one tasks, from the account to daily use.
 *
 * Owns the tasks and their order. A hand (`hands.js`) does them, so that the same story runs with a mouse, with
 * the keyboard alone and with fingers, in every language. Ben, the other person, uses another program: what he
 * finds at the server is the proof that a task was done.
 */

import { randomUUID } from "node:crypto";
import { ARABIC } from "../../static/js/words/ar/words_ar.js";
import { becomes } from "./eventually.js";
import { Mouse } from "./hands.js";
import { painted } from "./paint.js";
import { Person } from "./person.js";
import { World } from "./world.js";

/** @typedef {import("./hands.js").Mouse} Hand */
/**
 * @typedef {object} Story what the tasks share
 * @property {Hand} hand the hand of Ana, who uses the page
 * @property {Person} ana
 * @property {Person} ben
 * @property {(run: () => Promise<unknown>) => Promise<unknown>} apart runs something without a connection, if
 *   the story is told so
 * @property {string} group the id of Ana's group, once she made it
 */

const GROUP = "Climbers";
const NEW_PASSWORD = "chalk and rope";

/** The newest messages of the group at the server, oldest first. @returns {Promise<any[]>} */
const messages = async (/** @type {Story} */ { ben, group }) =>
  (await ben.call("GET", `/v3/groups/${group}/messages?limit=50`)).messages.reverse();

/**
 * The server has a message with this text, and the page knows that, now or soon: a line that was on its way moves
 * others when it is stored, and a finger would come down beside what it means. @returns {Promise<any>}
 */
async function arrives(/** @type {Story} */ story, /** @type {string} */ text) {
  const found = async () => (await messages(story)).find((one) => one.text === text);
  await becomes(async () => (await found()) !== undefined, true, `${text} arrives`);
  await becomes(() => story.hand.page.locator(".sending, .waiting").count(), 0, `${text} is stored`);
  return found();
}

/** Ben says something, with more than words if given. */
async function benSays(/** @type {Story} */ { ben, group, hand }, /** @type {string} */ text, more = {}) {
  const message = { source_guid: randomUUID(), text, ...more };
  const said = (await ben.call("POST", `/v3/groups/${group}/messages`, { message })).message;
  await hand.line(text).waitFor();
  return said;
}

const composer = (/** @type {Story} */ { hand }) => hand.composer(GROUP);

async function says(/** @type {Story} */ story, /** @type {string} */ text) {
  await story.hand.write(composer(story), text);
  await story.hand.sends(composer(story));
  await story.hand.line(text).waitFor();
}

const isConnected = (/** @type {Story} */ { ana }) =>
  ana.page.locator('.side [data-state="live"]').waitFor({ state: "attached" });

/** @type {readonly (readonly [string, (story: Story) => Promise<unknown>])[]} */
export const TASKS = [
  [
    "register",
    async (story) => {
      const { hand, ana } = story;
      await hand.press(hand.the("button", "Create an account"));
      await hand.fills({ "Your name": ana.name, Email: ana.email, Password: ana.password });
      await hand.press(hand.the("button", "Create account"));
      await isConnected(story);
      ana.token = await ana.page.evaluate(() => localStorage.getItem("coterie.token") ?? "");
      ana.id = (await ana.call("GET", "/v3/users/me")).id;
    },
  ],
  [
    "make a group",
    async (story) => {
      const { hand, ana } = story;
      await hand.press(hand.the("button", "Create a group"));
      const window = hand.window("New group");
      await hand.fills({ Name: GROUP }, window);
      await hand.press(hand.the("button", "Create group", window));
      await composer(story).waitFor();
      [story.group] = (await ana.call("GET", "/v3/groups")).map((/** @type {any} */ { id }) => id);
    },
  ],
  [
    "invite somebody",
    async ({ hand, ana, ben, group }) => {
      await hand.press(hand.the("link", "Details", ana.page.getByRole("main")).last());
      await hand.press(hand.the("button", "Create a share link"));
      const link = hand.the("textbox", "Share link");
      await becomes(() => link.inputValue(), /\/join_group\//);
      const path = new URL(await link.inputValue()).pathname.replace(/^\/join_group/, "");
      await ben.call("POST", `/v3/groups${path.replace(`/${group}/`, `/${group}/join/`)}`);
      await hand.panel("Details").getByText("Ben", { exact: true }).first().waitFor();
      await hand.leavesPanel("Details");
    },
  ],
  [
    "send a message",
    async (story) => {
      await story.apart(() => says(story, "rope at six"));
      await arrives(story, "rope at six");
    },
  ],
  [
    "format words",
    async (story) => {
      const { hand } = story;
      await story.apart(async () => {
        await hand.write(composer(story), "bring chalk");
        await hand.formats(composer(story), "Bold");
        await becomes(() => composer(story).inputValue(), "**bring chalk**");
        await hand.sends(composer(story));
      });
      await arrives(story, "**bring chalk**");
      await hand.line("bring chalk").locator("strong").waitFor();
    },
  ],
  [
    "mention somebody",
    async (story) => {
      const { hand, ben, ana } = story;
      await story.apart(async () => {
        await hand.write(composer(story), "@Be");
        const option = ana.page.getByRole("option", { name: /Ben/ });
        await option.waitFor();
        await hand.accepts(composer(story), option);
        await becomes(() => composer(story).inputValue(), /^@Ben\s*$/);
        await hand.sends(composer(story));
      });
      const said = await arrives(story, "@Ben");
      await becomes(async () => said.attachments[0].user_ids, [ben.id]);
    },
  ],
  [
    "reply",
    async (story) => {
      const { hand } = story;
      const asked = await benSays(story, "who drives?");
      await hand.acts(hand.line("who drives?"), "Reply");
      await story.apart(() => says(story, "me"));
      const { attachments } = await arrives(story, "me");
      await becomes(async () => attachments[0].reply_id, asked.id);
    },
  ],
  [
    "answer in a thread",
    async (story) => {
      const { hand } = story;
      await hand.acts(hand.line("who drives?").first(), "Reply in thread");
      const field = hand.the("textbox", "Write a reply");
      await story.apart(async () => {
        await hand.write(field, "three seats free");
        await hand.sends(field);
      });
      await arrives(story, "three seats free");
      await hand.the("log", "Replies").getByText("three seats free", { exact: true }).waitFor();
      await hand.leavesPanel("Replies");
    },
  ],
  [
    "react",
    async (story) => {
      await story.hand.acts(story.hand.line("who drives?").first(), "👍");
      const reactions = async () =>
        (await messages(story)).find(({ text }) => text === "who drives?")?.reactions?.[0]?.code;
      await becomes(reactions, "👍");
    },
  ],
  [
    "edit a message",
    async (story) => {
      const { hand } = story;
      await hand.acts(hand.line("rope at six"), "Edit");
      const window = hand.window("Edit message");
      await hand.fills({ Message: "rope at seven" }, window);
      await hand.press(hand.the("button", "Save", window));
      await window.waitFor({ state: "detached" });
      await arrives(story, "rope at seven");
      await hand.line("rope at seven").waitFor();
    },
  ],
  [
    "delete a message",
    async (story) => {
      const { hand } = story;
      await says(story, "wrong group");
      await arrives(story, "wrong group");
      await hand.line("wrong group").and(hand.page.locator(".stored")).waitFor();
      await hand.acts(hand.line("wrong group"), "Delete");
      const window = hand.window("Delete this message?");
      await hand.press(hand.the("button", "Delete", window));
      await hand.line("wrong group").waitFor({ state: "detached" });
    },
  ],
  [
    "pin a message",
    async ({ hand }) => {
      await hand.acts(hand.line("rope at seven"), "Pin");
      await hand.opensTool("Pinned messages");
      await hand.panel("Pinned messages").getByText("rope at seven", { exact: true }).waitFor();
      await hand.leavesPanel("Pinned messages");
    },
  ],
  [
    "ask in a poll",
    async (story) => {
      const { hand } = story;
      await hand.opensTool("Polls");
      await hand.press(hand.the("button", "New poll", hand.panel("Polls")));
      const window = hand.window("New poll");
      await hand.fills({ Question: "When?", "Answers, one per line": "at six\nat seven" }, window);
      await hand.press(hand.the("button", "Create poll", window));
      await window.waitFor({ state: "detached" });
      await hand.page.locator(".line .poll").waitFor();
      await hand.isInConversation("Polls");
    },
  ],
  [
    "vote",
    async ({ hand, ben, group }) => {
      await hand.tick(hand.page.locator(".line .poll").getByLabel("at seven"));
      const votes = async () => (await ben.call("GET", `/v3/poll/${group}`)).polls[0].data.options[1].votes;
      await becomes(votes, 1);
    },
  ],
  [
    "plan an event",
    async (story) => {
      const { hand } = story;
      await hand.opensTool("Events");
      await hand.press(hand.the("button", "New event", hand.panel("Events")));
      const window = hand.window("New event");
      await hand.fills({ Title: "North wall", Place: "Car park" }, window);
      await hand.press(hand.the("button", "Create event", window));
      await window.waitFor({ state: "detached" });
      await hand.page.locator(".line .event", { hasText: "North wall" }).waitFor();
      await hand.isInConversation("Events");
    },
  ],
  [
    "answer an invitation to an event",
    async ({ hand, ben, group }) => {
      const times = { start_at: "2100-01-02T09:00:00Z", end_at: "2100-01-02T16:00:00Z", timezone: "UTC" };
      const event = { name: "South wall", ...times, is_all_day: false };
      const made = await ben.call("POST", `/v3/conversations/${group}/events/create`, event);
      const card = hand.page.locator(".line .event", { hasText: "South wall" });
      await hand.press(hand.the("button", "I am going", card));
      await hand.the("button", "I am going", card).and(hand.page.locator("[aria-pressed=true]")).waitFor();
      const { event_id: id } = made.event;
      const path = `/v3/conversations/${group}/events/show?event_id=${id}`;
      await becomes(async () => (await ben.call("GET", path)).event.going.length, 2);
    },
  ],
  [
    "send a file",
    async (story) => {
      const { hand } = story;
      const plan = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("first the rope") };
      await story.apart(async () => {
        await hand.chooses(hand.the("button", "Add a picture or file"), plan);
        await hand.page.locator(".tray-item").waitFor();
        await hand.write(composer(story), "our plan");
        await hand.sends(composer(story));
      });
      const { attachments } = await arrives(story, "our plan");
      await becomes(async () => attachments[0].type, "file");
    },
  ],
  [
    "send a picture and look at it",
    async (story) => {
      const { hand } = story;
      const buffer = painted(320, 200, [90, 120, 60]);
      const wall = { name: "wall.png", mimeType: "image/png", buffer };
      await story.apart(async () => {
        await hand.chooses(hand.the("button", "Add a picture or file"), wall);
        await hand.page.locator(".tray-item").waitFor();
        await hand.write(composer(story), "the wall");
        await hand.sends(composer(story));
      });
      const { attachments } = await arrives(story, "the wall");
      await becomes(async () => attachments[0].type, "image");
      await hand.line("the wall").and(hand.page.locator(".stored")).waitFor();
      await hand.press(hand.line("the wall").locator("a.picture"));
      const viewer = hand.page.locator("dialog.lightbox");
      await viewer.waitFor();
      await hand.press(hand.the("button", "Close", viewer));
      await viewer.waitFor({ state: "detached" });
    },
  ],
  [
    "send a voice message",
    async (story) => {
      const { hand } = story;
      await hand.press(hand.the("button", "Record a voice message"));
      await becomes(() => hand.page.getByRole("timer").textContent(), /0:0[1-9]|٠:٠[١-٩]/);
      await hand.press(hand.the("button", "Send voice message"));
      const newest = async () => (await messages(story)).at(-1).attachments[0]?.duration > 0;
      await becomes(newest, true);
    },
  ],
  [
    "search",
    async (story) => {
      const { hand, ben } = story;
      await benSays(story, "the topo: https://topo.example.org/");
      await becomes(
        async () =>
          (await ben.call("GET", "/v3/search/messages?q=topo").catch(() => null))?.messages?.length ?? 0,
        1,
      );
      await hand.opensTool("Search in this conversation", "Search");
      await hand.write(hand.the("searchbox", "Search messages"), "rope");
      await hand.panel("Search").getByRole("list").getByText("rope at seven").waitFor();
    },
  ],
  [
    "filter what was found",
    async ({ hand, ben }) => {
      await hand.write(hand.the("searchbox", "Search messages"), "topo");
      await hand.selects(hand.the("combobox", "Sender", hand.panel("Search")), ben.name);
      await hand
        .panel("Search")
        .getByRole("list")
        .getByRole("link", { name: /the topo/ })
        .waitFor();
    },
  ],
  [
    "jump to a message",
    async ({ hand }) => {
      await hand.press(
        hand
          .panel("Search")
          .getByRole("list")
          .getByRole("link", { name: /the topo/ }),
      );
      await hand.page.locator(".line-meant", { hasText: "the topo" }).waitFor();
      await hand.leavesPanel("Search");
      await hand.composer(GROUP).waitFor();
    },
  ],
  [
    "mute the group",
    async ({ hand, ana, group }) => {
      await hand.opensTool("Notifications");
      const choice = hand.the("group", "Mute this group");
      await hand.press(hand.the("button", "For an hour", choice));
      await hand.the("button", "Unmute", choice).waitFor();
      const path = `/v3/conversations/${group}/notifications`;
      const muted = async () => (await ana.call("GET", path)).muted_until > 0;
      await becomes(muted, true);
      await hand.leavesPanel("Notifications");
    },
  ],
  [
    "forward to a person",
    async ({ hand, ben }) => {
      await hand.acts(hand.line("rope at seven"), "Forward…");
      const window = hand.window("Forward message");
      const field = hand.the("combobox", "Forward to", window);
      await hand.write(field, "Ben");
      const option = window.getByRole("option", { name: /Ben/ }).first();
      await hand.accepts(field, option);
      if (await window.isVisible()) await hand.submits(hand.the("button", "Forward", window));
      await window.waitFor({ state: "detached" });
      const chats = async () => (await ben.call("GET", "/v3/chats"))[0]?.last_message?.text;
      await becomes(chats, "rope at seven");
    },
  ],
  [
    "select several messages and copy them",
    async ({ hand }) => {
      await hand.acts(hand.line("bring chalk"), "Select");
      const bar = hand.the("toolbar", "Selected messages");
      await hand.selectsLine(hand.line("rope at seven"));
      await bar.getByText(hand.say("{count} selected", { count: 2 }), { exact: true }).waitFor();
      await hand.press(hand.the("button", "Copy", bar));
      await bar.waitFor({ state: "detached" });
    },
  ],
  [
    "write to a person",
    async (story) => {
      const { hand, ben, ana } = story;
      await hand.opens("Ben");
      const field = hand.composer("Ben");
      await story.apart(async () => {
        await hand.write(field, "thank you");
        await hand.sends(field);
      });
      const newest = async () => (await ben.call("GET", "/v3/chats"))[0]?.last_message?.text;
      await becomes(newest, "thank you");
      await ana.page.locator(".line.stored", { hasText: "thank you" }).waitFor();
    },
  ],
  [
    "change the profile",
    async ({ hand, ana }) => {
      await hand.opensAccount();
      const profile = hand.the("region", "Profile");
      const name = hand.field("Your name", profile);
      await becomes(() => name.inputValue(), "Ana");
      await hand.write(name, "Ana Sousa");
      await hand.press(hand.the("button", "Save", profile));
      await profile.getByText(hand.say("Saved."), { exact: true }).waitFor();
      await becomes(async () => (await ana.call("GET", "/v3/users/me")).name, "Ana Sousa");
    },
  ],
  [
    "log another device out",
    async ({ hand, ana }) => {
      const { email, password } = ana;
      const other = await ana.world.server.call("POST", "/auth/login", { body: { email, password } });
      await ana.page.reload();
      const sessions = hand.the("region", "Sessions");
      await hand.press(hand.the("button", "Log out everywhere else", sessions));
      const window = hand.window("Log out everywhere else?");
      await hand.press(hand.the("button", "Log out everywhere else", window));
      await window.waitFor({ state: "detached" });
      const status = async () =>
        (
          await fetch(`${ana.world.server.url}/v3/users/me`, {
            headers: { "X-Access-Token": other.access_token },
          })
        ).status;
      await becomes(status, 401);
    },
  ],
  [
    "change the password",
    async ({ hand, ana }) => {
      const section = hand.the("region", "Password");
      await hand.fills({ "Current password": ana.password, "New password": NEW_PASSWORD }, section);
      await hand.press(hand.the("button", "Change password", section));
      await section
        .getByText(hand.say("Your password was changed. All other sessions were logged out."))
        .waitFor();
      ana.password = NEW_PASSWORD;
    },
  ],
  [
    "make a bot",
    async ({ hand, ana }) => {
      await hand.press(hand.page.getByRole("main").locator("a[href$='/account/bots']").first());
      await hand.press(hand.the("button", "New bot"));
      const window = hand.window("New bot");
      await hand.fills({ Name: "Echo" }, window);
      await hand.press(hand.the("button", "Create bot", window));
      await hand.page.getByRole("main").getByRole("heading", { name: "Echo", exact: true }).waitFor();
      await becomes(async () => (await ana.call("GET", "/v3/bots"))[0]?.name, "Echo");
    },
  ],
  [
    "log out, log in, and find everything",
    async (story) => {
      const { hand, ana } = story;
      await ana.visits("/#/");
      await isConnected(story);
      await hand.press(hand.the("button", "Log out", hand.the("region", "You")));
      await hand.fills({ Email: ana.email, Password: ana.password });
      await hand.press(hand.the("button", "Log in"));
      await isConnected(story);
      await hand.opens(GROUP);
      await hand.line("rope at seven").waitFor();
    },
  ],
];

/** A text with its holes filled. */
export const filled = (/** @type {string} */ text, /** @type {Record<string, string | number>} */ facts) =>
  text.replace(/\{(\w+)\}/g, (_, name) => String(facts[name]));

/** @type {import("./hands.js").Words} */
const english = (text, facts = {}) => filled(text, facts);

const arabicNumber = new Intl.NumberFormat("ar-EG");
const arabicPlurals = new Intl.PluralRules("ar");

/** The texts of the page in Arabic. @type {import("./hands.js").Words} */
export const arabic = (text, facts = {}) => {
  const found = ARABIC[text] ?? text;
  const number = Object.values(facts).find((fact) => typeof fact === "number");
  const said =
    typeof found === "string" ? found : (found[arabicPlurals.select(Number(number ?? 0))] ?? found.other);
  const shown = (/** @type {string | number} */ fact) =>
    typeof fact === "number" ? arabicNumber.format(fact) : `\u2068${fact}\u2069`;
  return filled(said, Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, shown(fact)])));
};

/** Ana in front of the page, and Ben with another program. */
export async function begins(
  /** @type {import("node:test").TestContext} */ t,
  { Hand = Mouse, say = english, phone = false, locale = "en-GB", start = World.start } = {},
) {
  const world = await start(t, ["--rate-limit", "off"]);
  const ana = await world.visitor("Ana", { phone, locale });
  const facts = { name: "Ben", email: "ben@example.org" };
  const ben = new Person(world, ana.page, facts);
  await ben.hasAnAccount();
  const hand = new Hand(ana, say);
  /** @type {Story} */
  const story = {
    hand,
    ana,
    ben,
    group: "",
    apart: (/** @type {() => Promise<unknown>} */ run) => run(),
  };
  return story;
}

/** Does every task, and names the one that cannot be done. */
export async function tell(/** @type {Story} */ story) {
  for (const [name, run] of TASKS) {
    try {
      await run(story);
      await story.hand.isReady();
    } catch (error) {
      // The runner's report leaves causes out.
      const reason = error instanceof Error ? error.stack : error;
      throw new Error(`Ana cannot ${name}: ${reason}`, { cause: error });
    }
  }
}

/** Whether the browser keeps all files of the client, and the page uses them. */
async function isKept() {
  const shell = await caches.open("coterie.shell");
  return navigator.serviceWorker.controller !== null && (await shell.match("/")) !== undefined;
}

/** Does every task, and writes messages without a connection. */
export async function tellPartlyOffline(/** @type {Story} */ story) {
  const { page } = story.ana;
  await tell({
    ...story,
    async apart(run) {
      await becomes(() => page.evaluate(isKept), true, "the browser keeps the client");
      await page.context().setOffline(true);
      await page.getByText(story.hand.say("Offline. Reconnecting…")).first().waitFor({ state: "attached" });
      await run();
      await page.context().setOffline(false);
    },
  });
}
