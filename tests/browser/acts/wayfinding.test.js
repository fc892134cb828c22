/** Finding the way in a conversation and among them: counts of what is new, mentions, and days while scrolling. */

import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Posts a message that mentions somebody. */
async function mentions(
  /** @type {Person} */ author,
  /** @type {{ id: string }} */ group,
  /** @type {Person} */ person,
) {
  const text = `@${person.name} rope at six`;
  const attachments = [{ type: "mentions", user_ids: [person.id], loci: [[0, person.name.length + 1]] }];
  const message = { source_guid: randomUUID(), text, attachments };
  await author.call("POST", `/v3/groups/${group.id}/messages`, { message });
}

const MENTIONED = "You were mentioned";

test("a mention shows in the list until it is read", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.hasGroup("Book club", ana);
  await ana.inList("Book club").waitFor();
  await ben.says(climbers, "nobody is meant");
  await ana.inList(/^Climbers.*Unread: /).waitFor();
  await becomes(() => ana.inList("Climbers").getByText(MENTIONED).count(), 0);
  await mentions(ben, climbers, ana);
  const mark = ana.inList("Climbers").getByText(MENTIONED);
  await mark.waitFor();
  await becomes(() => violations(ana), []);
  // The server tells it too.
  await ana.page.reload();
  await mark.waitFor();
  await ana.opens("Climbers");
  await mark.waitFor({ state: "detached" });
  await ana.opens("Book club");
  await ben.says(climbers, "and now nobody is");
  await ana.inList(/^Climbers.*Unread: /).waitFor();
  await becomes(() => ana.inList("Climbers").getByText(MENTIONED).count(), 0);
});

test("the way to the newest message says how many are new", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 40; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await ana.reads("line 40");
  await ana.page.locator(".timeline").press("PageUp");
  const jump = ana.page.getByRole("button", { name: "Jump to the newest message" });
  const words = () => jump.locator(".jump-word").textContent();
  await becomes(words, "");
  await ben.says(climbers, "line 41");
  await becomes(words, "1 new message");
  await ben.says(climbers, "line 42");
  await becomes(words, "2 new messages");
  await becomes(() => violations(ana), []);
  await jump.click();
  await ana.reads("line 42");
  await jump.waitFor({ state: "hidden" });
});

test("the day of the messages shows while the reader scrolls", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  for (let at = 1; at <= 60; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await ana.reads("line 60");
  await ana.page.locator(".timeline").hover();
  await ana.page.mouse.wheel(0, -300);
  await becomes(() => ana.page.locator(".floating-day").textContent(), "Today");
});
