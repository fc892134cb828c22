/** Threads: answers that belong to a message, counted and opened from there. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a message shows its reply count and opens the thread", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six?"), "Reply");
  await ben.composer.fill("with chalk");
  await ben.composer.press("Enter");
  const thread = ana.page.getByRole("button", { name: "1 reply", exact: true });
  await thread.click();
  await ana.page.getByRole("log", { name: "Replies" }).getByText("with chalk", { exact: true }).waitFor();
  await ana.page.reload();
  await ana.page.getByRole("log", { name: "Replies" }).getByText("with chalk", { exact: true }).waitFor();
  await thread.waitFor();
});

/** Ben has answered Ana's question, and Ana opens the thread. */
async function opensThread(/** @type {import("node:test").TestContext} */ t) {
  const there = await World.climbing(t);
  const { ana, ben, climbers } = there;
  const asked = await ana.says(climbers, "rope at six?");
  const attachments = [{ type: "reply", reply_id: asked.id }];
  const message = { source_guid: "answer", text: "with chalk", attachments };
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  await ana.opens("Climbers");
  await ana.presses("1 reply");
  const thread = ana.page.getByRole("complementary", { name: "Replies" });
  const field = thread.getByRole("textbox", { name: "Write a reply" });
  const replies = thread.getByRole("log", { name: "Replies" });
  await replies.getByText("with chalk", { exact: true }).waitFor();
  return { ...there, thread, field, replies };
}

test("a reply in the thread window reaches everyone", async (t) => {
  const { ana, ben, thread, field, replies } = await opensThread(t);
  await thread.getByText("rope at six?", { exact: true }).waitFor();
  await field.and(ana.page.locator(":focus")).waitFor();
  await ana.page.keyboard.type("@Ben fine");
  await ana.page.keyboard.press("Enter");
  await replies.getByText("@Ben fine", { exact: true }).waitFor();
  await becomes(() => field.inputValue(), "");
  await ana.page.keyboard.press("Escape");
  await thread.waitFor({ state: "hidden" });
  await ana.page.getByRole("button", { name: "2 replies", exact: true }).waitFor();
  await ana.line("@Ben fine").locator(".quote", { hasText: "rope at six?" }).waitFor();

  await ben.opens("Climbers");
  await ben.line("@Ben fine").locator(".mention-me", { hasText: "@Ben" }).waitFor();
});

test("thread changes appear in the open window", async (t) => {
  const { ana, ben, thread, field, replies } = await opensThread(t);
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six?").first(), "Reply");
  await ben.writes("and a helmet");
  await replies.getByText("and a helmet", { exact: true }).waitFor();

  // What cannot be sent waits there too, and goes out when it is tried again.
  await ana.page.route("**/v3/groups/*/messages", (route) => route.abort());
  await field.fill("six is fine");
  await field.press("Enter");
  await thread.getByText("Waiting. It will be sent automatically.").waitFor();
  await ana.page.unroute("**/v3/groups/*/messages");
  await thread.getByRole("button", { name: "Try again" }).click();
  await replies.locator(".line.stored", { hasText: "six is fine" }).waitFor();
  await field.press("ArrowUp");
  const edit = ana.page.getByRole("dialog", { name: "Edit message" });
  await edit.getByRole("textbox").fill("six it is");
  await edit.getByRole("button", { name: "Save" }).click();
  await ana.takes(replies.locator(".line", { hasText: "six it is" }), "Show in conversation");
  await ana.line("six it is").and(ana.page.locator(":focus")).waitFor();
});

test("a thread has a draft of its own, which stays on this device", async (t) => {
  const { ana, climbers, thread, field } = await opensThread(t);
  await field.fill("half an answer");
  await ana.page.keyboard.press("Escape");
  await thread.waitFor({ state: "hidden" });
  await becomes(() => ana.composer.inputValue(), "");
  await ana.composer.fill("half a word");
  await becomes(async () => (await ana.call("GET", "/v3/drafts")).drafts[0]?.text, "half a word");
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.presses("1 reply");
  await becomes(() => field.inputValue(), "half an answer");
  await field.press("Enter");
  await thread.getByText("half an answer", { exact: true }).waitFor();
  await ana.page.keyboard.press("Escape");
  await becomes(() => ana.composer.inputValue(), "half a word");
  const drafts = async () => (await ana.call("GET", "/v3/drafts")).drafts.map(idAndText);
  await becomes(drafts, [[climbers.id, "half a word"]]);
});

const idAndText = (/** @type {{ conversation_id: string, text: string }} */ { conversation_id, text }) => [
  conversation_id,
  text,
];

test("a long thread loads from first to last reply", async (t) => {
  const world = await World.start(t, ["--rate-limit", "off"]);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  const asked = await ana.says(climbers, "rope at six?");
  const attachments = [{ type: "reply", reply_id: asked.id }];
  for (let at = 1; at <= 130; at += 1) {
    const message = { source_guid: `answer ${at}`, text: `answer ${at}`, attachments };
    await ana.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  }
  await ana.visits(`/#/groups/${climbers.id}/messages/${asked.id}`);
  await ana.presses("130 replies");
  const replies = ana.page.getByRole("log", { name: "Replies" }).locator(".line");
  // The message that began it stands above.
  await becomes(() => replies.count(), 131);
  await replies.getByText("answer 130", { exact: true }).waitFor();
});

test("the day of the answers at the upper edge shows while one scrolls", async (t) => {
  const world = await World.start(t, ["--rate-limit", "off"]);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  const asked = await ana.says(climbers, "rope at six?");
  const attachments = [{ type: "reply", reply_id: asked.id }];
  for (let at = 1; at <= 40; at += 1) {
    const message = { source_guid: `answer-${at}`, text: `answer ${at}`, attachments };
    await ana.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  }
  await ana.visits(`/#/groups/${climbers.id}/thread/${asked.id}`);
  const thread = ana.page.getByRole("complementary", { name: "Replies" });
  await thread.getByText("answer 40", { exact: true }).waitFor();
  const day = thread.locator(".floating-day");
  await becomes(() => day.evaluate((node) => getComputedStyle(node).visibility), "hidden");
  // It stays for a moment only, so the page notes that it came.
  await day.evaluate((node) => {
    new MutationObserver(() => {
      if (node.classList.contains("floating-day-shown")) node.dataset.said = node.textContent ?? "";
    }).observe(node, { attributeFilter: ["class"] });
  });
  await thread.locator(".thread-answers").evaluate((node) => {
    node.scrollTop = node.scrollHeight / 2;
  });
  await becomes(() => day.getAttribute("data-said"), "Today");
});

test("closing a thread gives the focus back to its message, which was drawn again", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ana.line("rope at six?").getByRole("button", { name: "More actions" }).focus();
  await ana.page.keyboard.press("Enter");
  const menu = ana.page.getByRole("menu", { name: "Message actions" });
  await menu.getByRole("menuitem", { name: "Reply in thread" }).press("Enter");
  const field = ana.page.getByRole("textbox", { name: "Write a reply" });
  await field.and(ana.page.locator(":focus")).waitFor();
  await ana.page.keyboard.type("with chalk");
  await ana.page.keyboard.press("Enter");
  await ana.page.getByRole("button", { name: "1 reply", exact: true }).waitFor();
  await ana.page.keyboard.press("Escape");
  await field.waitFor({ state: "hidden" });
  const question = ana.lines.filter({ has: ana.page.getByRole("button", { name: "1 reply", exact: true }) });
  await question.getByRole("button", { name: "More actions" }).and(ana.page.locator(":focus")).waitFor();
});
