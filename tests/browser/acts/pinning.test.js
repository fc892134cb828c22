/** Pinned messages: pinned in one browser, found in another. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a pinned message is listed for others and links to its place", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.takes(ben.line("rope at six"), "Pin");
  await ana.sees("Ben pinned a message.");
  await ana.page.getByRole("button", { name: "Pinned messages" }).click();
  const list = ana.page.getByRole("complementary", { name: "Pinned messages" });
  await list.getByRole("link", { name: "rope at six" }).click();
  await list.waitFor({ state: "hidden" });
  await ana.takes(ana.line("rope at six"), "Unpin");
  await becomes(() => ben.mayTake(ben.line("rope at six"), "Pin"), true);
  await ben.page.getByRole("button", { name: "Pinned messages" }).click();
  await ben.page
    .getByRole("complementary", { name: "Pinned messages" })
    .getByText("No pinned messages.")
    .waitFor();
});

test("the list of pinned messages unpins them", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const { id } = await ana.says(climbers, "rope at six");
  await ana.call("POST", `/v3/conversations/${climbers.id}/messages/${id}/pin`);
  await ben.opens("Climbers");
  await ben.presses("Pinned messages");
  const list = ben.page.getByRole("complementary", { name: "Pinned messages" });
  await list.getByRole("button", { name: "Unpin", exact: true }).click();
  await list.getByText("No pinned messages.").waitFor();
  await ben.page.keyboard.press("Escape");
  await becomes(() => ben.mayTake(ben.line("rope at six"), "Pin"), true);
});

test("the list of pinned messages tells of what day each is", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const rope = await ana.says(climbers, "rope at six");
  await ana.call("POST", `/v3/conversations/${climbers.id}/messages/${rope.id}/pin`);
  await ana.opens("Climbers");
  await ana.page.clock.setFixedTime((rope.created_at + 24 * 3600) * 1000);
  await ana.page.getByRole("button", { name: "Pinned messages" }).click();
  const list = ana.page.getByRole("complementary", { name: "Pinned messages" });
  await list.getByRole("link", { name: "rope at six" }).getByText("Yesterday").waitFor();
});

test("the open list of pinned messages follows the pins of others", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const { id } = await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  await ben.presses("Pinned messages");
  const list = ben.page.getByRole("complementary", { name: "Pinned messages" });
  await list.getByText("No pinned messages.").waitFor();
  await ana.call("POST", `/v3/conversations/${climbers.id}/messages/${id}/pin`);
  await list.getByRole("link", { name: "rope at six" }).waitFor();
  await ana.call("POST", `/v3/conversations/${climbers.id}/messages/${id}/unpin`);
  await list.getByText("No pinned messages.").waitFor();
});
