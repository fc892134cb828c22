/** Answers, mentions and reactions: made in one browser, seen in another. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("an answer quotes what it answers, and a name behind an @ is a mention", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six?"), "Reply");
  await ben.composer.fill("@Ana yes");
  await ben.composer.press("Enter");
  const answer = ana.line("@Ana yes");
  await answer.locator(".quote", { hasText: "rope at six?" }).waitFor();
  await answer.locator(".mention-me", { hasText: "@Ana" }).waitFor();
  await ben.line("@Ana yes").locator(".quote", { hasText: "Ana" }).waitFor();
});

test("Escape gives the reply up, and nothing else", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.pressesAt(ana.line("rope at six?"), "Reply");
  const given = ana.page.getByRole("button", { name: "Do not reply" });
  await given.waitFor();
  await ana.composer.fill("yes");
  await ana.composer.press("Escape");
  await given.waitFor({ state: "hidden" });
  await ana.page.getByRole("complementary", { name: "Details" }).waitFor();
  await ana.composer.press("Enter");
  await ana.knowsItIsSent("yes");
  await becomes(() => ana.line("yes").locator(".quote").count(), 0);
});

test("a quote leads to what it quotes, however far up, as often as it is followed", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const asked = await ana.says(climbers, "rope at six?");
  for (let i = 1; i <= 80; i += 1) await ben.says(climbers, `line ${i}`);
  const attachments = [{ type: "reply", reply_id: asked.id }];
  const message = { source_guid: "answer", text: "yes", attachments };
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  await ana.opens("Climbers");
  const messages = ana.page.getByRole("log", { name: "Messages", exact: true });
  for (const _ of [1, 2]) {
    await messages.press("End");
    await ana
      .line("yes")
      .getByRole("link", { name: /In reply to/ })
      .click();
    await ana.line("rope at six?").and(ana.page.locator(":focus")).waitFor();
  }
});

test("a reaction is seen by everybody, and goes when it is pressed again", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six"), "React");
  await ben.page.getByRole("dialog").getByRole("button", { name: "fire", exact: true }).first().click();
  await ana.hears("rope at six", "🔥, 1: Ben");
  await ana.line("rope at six").getByRole("button", { name: "🔥, 1: Ben" }).click();
  await ben.hears("rope at six", "🔥, 2: You, Ana");
  await ben.line("rope at six").getByRole("button", { name: "🔥, 2: You, Ana" }).click();
  await ana.hears("rope at six", "🔥, 1: You");
});
