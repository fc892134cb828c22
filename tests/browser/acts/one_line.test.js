/** Messages in one line, in the language of their reader: in the list, in quotes, pins, windows and results. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const HOUR = 3600;

/** From here on, this person's page is in German. */
async function readsGerman(/** @type {Person} */ person) {
  await person.page.evaluate(() => localStorage.setItem("coterie.look", '{"language":"de"}'));
  await person.page.reload();
  await person.page.locator(".side").getByText("Verbunden").waitFor({ state: "attached" });
}

const preview = (/** @type {Person} */ { page }) => page.locator(".group-preview .ends").last();

async function asks(/** @type {Person} */ person, /** @type {{ id: string }} */ group) {
  const poll = { subject: "Who has the rope?", options: [{ title: "six" }, { title: "seven" }] };
  const expiration = Math.floor(Date.now() / 1000) + HOUR;
  const kind = { type: "single", visibility: "public" };
  return person.call("POST", `/v3/poll/${group.id}`, { ...poll, ...kind, expiration });
}

test("a poll stands in every line in the reader's language", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const { message, poll } = await asks(ben, climbers);
  const words = "Neue Umfrage „Who has the rope?“";
  await readsGerman(ana);
  await becomes(async () => (await preview(ana).textContent()) ?? "", words, "the list");

  const reply = [{ type: "reply", reply_id: message.id }];
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, {
    message: { source_guid: "reply", text: "me", attachments: reply },
  });
  await ben.call("POST", `/v3/conversations/${climbers.id}/messages/${message.id}/pin`);
  await ana.visits(`/#/groups/${climbers.id}`);
  await becomes(async () => (await ana.page.locator(".quote-text").textContent()) ?? "", words, "the quote");
  await ana.page.getByRole("button", { name: "Angeheftete Nachrichten" }).click();
  const pins = ana.page.getByRole("complementary", { name: "Angeheftete Nachrichten" });
  await pins.getByText(words, { exact: true }).waitFor();
  await ana.page.keyboard.press("Escape");

  await ana.page.keyboard.press("Control+k");
  await ana.page.locator(".palette-dialog input").fill("rope");
  await becomes(
    async () => (await ana.page.locator(".palette-said").first().textContent()) ?? "",
    /„Who has the rope\?“/,
  );
  await becomes(() => ana.page.locator(".palette-said mark").allTextContents(), ["rope"], "the found word");
  await ana.page.keyboard.press("Escape");

  // The end of the poll is a line of the system.
  await ben.call("POST", `/v3/poll/${climbers.id}/${poll.data.id}/end`);
  const ended = /^Die Umfrage „Who has the rope\?“ ist zu Ende/;
  await becomes(async () => (await preview(ana).textContent()) ?? "", ended);
  // Its words go with the poll's message, from the open page too.
  await ben.call("DELETE", `/v3/conversations/${climbers.id}/messages/${message.id}`);
  await becomes(() => ana.page.getByText("Who has the rope?").count(), 0);
  await becomes(async () => (await preview(ana).textContent()) ?? "", "Eine Umfrage ist zu Ende.");
  await becomes(
    async () => (await ana.page.locator(".system").last().textContent()) ?? "",
    "Eine Umfrage ist zu Ende.",
  );
  await ana.page.reload();
  await becomes(async () => (await preview(ana).textContent()) ?? "", "Eine Umfrage ist zu Ende.");
});

test("a conversation in short form has the same line in the list", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await asks(ben, climbers);
  const { message } = await asks(ben, await ben.hasGroup("Divers", ana));
  await ana.page.route("**/v3/sync*", async (route) => {
    const answer = await route.fetch();
    const whole = await answer.json();
    for (const part of whole.response.groups) {
      const [newest] = part.messages;
      Object.assign(part, { messages: [], last_message: { ...newest, attachments: [] } });
    }
    await route.fulfill({ response: answer, json: whole });
  });
  await readsGerman(ana);
  const lines = () => ana.page.locator(".group-preview").allTextContents();
  const line = "Ben: Neue Umfrage „Who has the rope?“";
  await becomes(lines, [line, line]);
  await ana.visits(`/#/groups/${message.group_id}`);
  await ana.sees("Neue Umfrage");
});

test("an edit in the second of the post is marked", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  const said = await ben.says(climbers, "rope at six");
  const path = `/v3/conversations/${climbers.id}/messages/${said.id}`;
  await ben.call("PUT", path, { text: "rope at seven" });
  await ana.reads("rope at seven");
  await ana.line("rope at seven").getByText("edited").waitFor();
});

test("a long name in the list keeps its colon", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const long = "Friederike Wolkenstein-Hohenstaufen the Elder";
  await ben.call("POST", `/v3/groups/${climbers.id}/memberships/update`, { membership: { nickname: long } });
  await ben.says(climbers, "rope at six");
  // Screen readers hear the whole name with one colon.
  await ana.inList(new RegExp(`^Climbers.*${long}: rope at six`, "s")).waitFor();
  const look = () =>
    ana.page.locator(".group-from").evaluate((node) => {
      const name = /** @type {HTMLElement} */ (node.firstElementChild);
      const colon = getComputedStyle(node, "::after");
      return {
        isShortened: name.scrollWidth > name.clientWidth,
        colon: colon.content.slice(0, 3),
        // What is left of the box beside the name is the colon's.
        hasRoom: node.getBoundingClientRect().width - name.getBoundingClientRect().width >= 2,
        isFirstColonUnseen: name.lastElementChild?.getBoundingClientRect().width === 0,
      };
    });
  const expected = { isShortened: true, colon: '":"', hasRoom: true, isFirstColonUnseen: true };
  for (const width of [320, 390, 720, 1280]) {
    await ana.page.setViewportSize({ width, height: 700 });
    const { PICTURES } = process.env;
    if (PICTURES) await ana.page.screenshot({ path: `${PICTURES}/colon-${width}.png` });
    await becomes(look, expected, `${width}`);
  }
});
