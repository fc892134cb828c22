/** Events: planned in one browser, answered in another, seen, changed and cancelled in both. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../world.js";

test("an event is planned, answered, changed and cancelled in its card", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "when?");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ana.page.getByRole("button", { name: "Events" }).click();
  const window = ana.page.getByRole("complementary", { name: "Events" });
  await window.getByText("No events planned.").waitFor();
  await window.getByRole("button", { name: "New event" }).click();
  const form = ana.page.getByRole("dialog", { name: "New event" });
  await form.getByRole("button", { name: "Create event" }).click();
  await form.getByText("Enter a title.").waitFor();
  await form.getByLabel("Title", { exact: true }).fill("Climb");
  await form.getByLabel("From").fill("2100-01-01T18:00");
  await form.getByLabel("Until").fill("2100-01-01T17:00");
  await form.getByRole("button", { name: "Create event" }).click();
  await form.getByText("The end must be after the beginning.").waitFor();
  await form.getByLabel("Until").fill("2100-01-01T21:00");
  await form.getByLabel("Place").fill("The wall");
  await form.getByRole("button", { name: "Create event" }).click();
  // The panel stays, since it does not cover the new card.
  await form.waitFor({ state: "detached" });
  await window.getByText("The wall").waitFor();

  const card = ben.page.locator(".line .event");
  await card.getByText("The wall").waitFor();
  await card.getByText("Going: Ana").waitFor();
  await card.getByRole("button", { name: "I am going" }).click();
  await card.getByText(/Going: (Ana, You|You, Ana)/).waitFor();
  await ben.sees("Ben is going to 'Climb'.");
  const own = ana.page.locator(".line .event");
  await own.getByText(/Going: (You, Ben|Ben, You)/).waitFor();
  await card.getByRole("button", { name: "I am going", pressed: true }).click();
  await own.getByText("Going: You", { exact: true }).waitFor();

  const [file] = await Promise.all([
    ben.page.waitForEvent("download"),
    card.getByRole("button", { name: "Add to my calendar" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "Climb.ics");
  await own.getByRole("button", { name: "Change" }).click();
  const change = ana.page.getByRole("dialog", { name: "Change the event" });
  await change.getByLabel("Title", { exact: true }).fill("Boulder");
  await change.getByRole("button", { name: "Save" }).click();
  await card.getByText("Boulder").waitFor();
  await own.getByRole("button", { name: "Cancel this event" }).click();
  await card.waitFor({ state: "detached" });
  await ben.sees("Ana cancelled the event 'Boulder'.");
});
