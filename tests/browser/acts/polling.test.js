/** Polls: made in one browser, answered in another, seen in both. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a poll is made, answered and ended, and both see what came of it", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "when?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  const opens = async (/** @type {import("../person.js").Person} */ who) => {
    await who.page.getByRole("button", { name: "Polls" }).click();
    return who.page.getByRole("complementary", { name: "Polls" });
  };
  const anas = await opens(ana);
  await anas.getByText("No polls yet.").waitFor();
  await anas.getByRole("button", { name: "New poll" }).click();
  const form = ana.page.getByRole("dialog", { name: "New poll" });
  await form.getByLabel("Question").fill("When do we climb?");
  await form.getByLabel("Answers, one per line").fill("at six");
  await form.getByRole("button", { name: "Create poll" }).click();
  await form.getByText("A poll has 2 to 10 answers.").waitFor();
  await form.getByLabel("Answers, one per line").fill("at six\nat seven");
  await form.getByRole("button", { name: "Create poll" }).click();
  // The panel stays, since it does not cover the new card.
  await form.waitFor({ state: "detached" });
  await anas.getByLabel("at seven").waitFor();
  await ben.sees("Created new poll 'When do we climb?'");
  const bens = await opens(ben);
  await bens.getByLabel("at seven").check();
  await bens.getByText("1 vote: Ben").waitFor();
  await anas.getByText("1 vote: Ben").waitFor();
  await anas.getByRole("button", { name: "End this poll" }).click();
  await bens.getByText("Ended.").waitFor();
  await ben.sees("The poll 'When do we climb?' has ended: at six 0, at seven 1.");
});

test("a poll is answered in the message that asks", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "when?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  // Here the panel covers the conversation, so it closes once there is a new card.
  await ana.page.setViewportSize({ width: 1000, height: 800 });
  await ana.page.getByRole("button", { name: "Polls" }).click();
  const window = ana.page.getByRole("complementary", { name: "Polls" });
  await window.getByRole("button", { name: "New poll" }).click();
  const form = ana.page.getByRole("dialog", { name: "New poll" });
  await form.getByLabel("Question").fill("When do we climb?");
  await form.getByLabel("Answers, one per line").fill("at six\nat seven");
  await form.getByRole("button", { name: "Create poll" }).click();
  await form.waitFor({ state: "detached" });
  await window.waitFor({ state: "hidden" });
  const bens = ben.page.locator(".line .poll");
  await bens.getByLabel("at seven").check();
  await bens.getByText("1 vote: Ben").waitFor();
  const anas = ana.page.locator(".line .poll");
  await anas.getByText("1 vote: Ben").waitFor();
  await bens.getByLabel("at six").check();
  await anas.getByText("1 vote: Ben").waitFor();
  await anas.getByRole("button", { name: "End this poll" }).click();
  await bens.getByText("Ended.").waitFor();
});

test("an incoming vote does not cancel a click", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const asked = await ana.call("POST", `/v3/poll/${climbers.id}`, {
    subject: "When do we climb?",
    options: [{ title: "at six" }, { title: "at seven" }],
    expiration: Math.floor(Date.now() / 1000) + 3600,
    type: "single",
    visibility: "public",
  });
  const { id, options } = asked.poll.data;
  await ana.opens("Climbers");
  const card = ana.page.locator(".line .poll");
  await card.getByRole("button", { name: "End this poll" }).hover();
  await ana.page.mouse.down();
  const heard = ana.page.waitForResponse(`**/v3/poll/${climbers.id}/${id}`);
  await ben.call("POST", `/v3/poll/${climbers.id}/${id}`, { votes: [options[0].id] });
  await heard;
  // When this is here, what came before it is drawn, unless the pointer is down.
  const text = "at six then";
  const direct_message = { recipient_id: ana.id, source_guid: "then", text };
  await ben.call("POST", "/v3/direct_messages", { direct_message });
  await ana.page.locator(".side").getByText(text).waitFor();
  await ana.page.mouse.up();
  await card.getByText("Ended.").waitFor();
  await card.getByText("1 vote: Ben").waitFor();
});

test("an answer may have commas", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.getByRole("button", { name: "Polls" }).click();
  await ana.page
    .getByRole("complementary", { name: "Polls" })
    .getByRole("button", { name: "New poll" })
    .click();
  const form = ana.page.getByRole("dialog", { name: "New poll" });
  await form.getByLabel("Question").fill("When do we climb?");
  await form.getByLabel("Answers, one per line").click();
  await ana.page.keyboard.type("at six, before breakfast");
  await ana.page.keyboard.press("Enter");
  await ana.page.keyboard.type("at seven, after it");
  await form.getByRole("button", { name: "Create poll" }).click();
  await form.waitFor({ state: "detached" });
  await ana.page.keyboard.press("Escape");
  const card = ana.page.locator(".line .poll");
  await card.getByLabel("at six, before breakfast").waitFor();
  await card.getByLabel("at seven, after it").waitFor();
});

test("a new poll or event is announced once", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const options = [{ title: "at six" }, { title: "at seven" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  await ana.call("POST", `/v3/poll/${climbers.id}`, poll);
  const times = { start_at: "2100-01-01T18:00:00Z", end_at: "2100-01-01T21:00:00Z", timezone: "UTC" };
  await ana.call("POST", `/v3/conversations/${climbers.id}/events/create`, {
    name: "North wall",
    is_all_day: false,
    ...times,
  });
  await ana.opens("Climbers");
  const shown = (/** @type {string} */ text) => ana.lines.getByText(text).filter({ visible: true });
  await ana.lines.getByRole("group", { name: "When?" }).waitFor();
  await becomes(() => shown("When?").allTextContents(), ["When?"]);
  await becomes(() => shown("North wall").allTextContents(), ["North wall"]);

  // A card that the server does not give leaves the words.
  await ana.page.route("**/v3/poll/**", (route) => route.abort());
  await ana.page.reload();
  await becomes(() => shown("When?").allTextContents(), ["Created new poll 'When?'"]);
});

test("a poll message cannot be edited, and ArrowUp skips it", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  const options = [{ title: "at six" }, { title: "at seven" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  await ana.call("POST", `/v3/poll/${climbers.id}`, poll);
  await ana.opens("Climbers");
  const line = ana.lines.filter({ has: ana.page.locator(".card:not(:empty)") });
  await becomes(() => ana.mayTake(line, "Copy text"), true);
  await becomes(() => ana.mayTake(line, "Edit"), false);
  await ana.composer.press("ArrowUp");
  const field = ana.page.getByRole("dialog").getByRole("textbox");
  await becomes(() => field.inputValue(), "rope at six");
});
