/** Approval of new members: the owner switches it on with a question, a stranger answers, and the owner approves. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

const QUESTION = "Which routes do you climb?";

test("a stranger answers the question of a group and is approved", async (t) => {
  const world = await World.start(t);
  const [ana, dan] = await world.people("Ana", "Dan");
  const climbers = await ana.hasGroup("Climbers");
  const { share_url: url } = await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  const path = new URL(url).pathname;

  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  const settings = ana.page.getByRole("dialog");
  await becomes(() => settings.getByLabel("The question").isVisible(), false);
  await settings.getByLabel("Approve new members").check();
  await settings.getByLabel("Ask people a question").check();
  await settings.getByLabel("The question").fill(QUESTION);
  for (const width of [320, 1280]) {
    await ana.page.setViewportSize({ width, height: 900 });
    await becomes(() => cutOff(ana), [], `settings at ${width}`);
  }
  await becomes(() => violations(ana), [], "settings");
  await settings.getByRole("button", { name: "Save", exact: true }).click();
  await ana.sees("Ana switched approval of new members on.");

  await dan.visits(path);
  const asks = dan.page.getByRole("dialog");
  await asks.getByText("The owner or an admin decides whether you join.").waitFor();
  await asks.getByRole("button", { name: "Ask to join" }).click();
  await asks.getByText("Answer the question.").waitFor();
  await asks.getByLabel(QUESTION).fill("Everything below 6a.");
  await becomes(() => violations(dan), [], "question");
  await asks.getByRole("button", { name: "Ask to join" }).click();
  await dan.sees("You asked to join. You are in once the owner or an admin approves.");

  const requests = ana.page.getByRole("region", { name: "Requests to join" });
  await requests.getByText(QUESTION).waitFor();
  await requests.getByText("Everything below 6a.").waitFor();
  for (const width of [320, 1280]) {
    await ana.page.setViewportSize({ width, height: 800 });
    await becomes(() => cutOff(ana), [], `requests at ${width}`);
  }
  await becomes(() => violations(ana), [], "requests");
  await requests.getByRole("button", { name: "Approve Dan", exact: true }).click();
  await ana.sees("Dan has joined the group.");
  await dan.opens("Climbers");
});
