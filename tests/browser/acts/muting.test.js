/** Notice levels: set in a window, kept by the server, seen in the list. */

import { test } from "node:test";
import { World } from "../world.js";

test("a group is muted for a time, and a level is kept", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const opens = async () => {
    await ana.page.getByRole("button", { name: "Notifications" }).click();
    return ana.page.getByRole("complementary", { name: "Notifications" });
  };
  const window = await opens();
  await window.getByLabel("Mentions and replies").check();
  const group = window.getByRole("group", { name: "Mute this group" });
  await group.getByRole("button", { name: "For an hour" }).click();
  await group.getByText("Muted until").waitFor();
  await ana.inList(/Climbers.*Muted/s).waitFor();
  await ana.page.reload();
  const again = ana.page.getByRole("complementary", { name: "Notifications" });
  await again.locator("label:has(input:checked)", { hasText: "mentions" }).waitFor();
  await again.getByRole("group", { name: "Mute this group" }).getByRole("button", { name: "Unmute" }).click();
  await ana.inList("Climbers").filter({ hasNotText: "Muted" }).waitFor();
  const all = again.getByRole("group", { name: "Mute everything" });
  await all.getByRole("button", { name: "Until I unmute" }).click();
  await all.getByText("Muted until you unmute it.").waitFor();
  await all.getByRole("button", { name: "Unmute" }).click();
  await all.getByRole("button", { name: "For a day" }).waitFor();
});

test("a chat is muted for a time, and seen so in the list", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ana.turnsTo(ben, "Climbers");
  await ana.writes("chalk?");
  await ana.knowsItIsSent("chalk?");
  await ana.page.getByRole("button", { name: "Notifications" }).click();
  const chat = ana.page.getByRole("group", { name: "Mute this chat" });
  await chat.getByRole("button", { name: "For an hour" }).click();
  await chat.getByText("Muted until").waitFor();
  await ana.inList(/Ben.*Muted/s).waitFor();
  await ana.page.reload();
  await ana.inList(/Ben.*Muted/s).waitFor();
  await chat.getByRole("button", { name: "Unmute" }).click();
  await ana.inList("Ben").filter({ hasNotText: "Muted" }).waitFor();
});

test("a shortened group shows its mute in the list", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.call("POST", `/v3/groups/${climbers.id}/memberships/mute`);
  await ana.page.route("**/v3/sync*", async (route) => {
    const answer = await route.fetch();
    const sync = await answer.json();
    for (const one of sync.response.groups) {
      one.group.members = null;
      one.messages = [];
    }
    await route.fulfill({ response: answer, json: sync });
  });
  await ana.page.reload();
  await ana.isConnected();
  await ana.inList(/Climbers.*Muted/s).waitFor();
  await ana.call("POST", `/v3/groups/${climbers.id}/memberships/unmute`);
  await ana.inList("Climbers").filter({ hasNotText: "Muted" }).waitFor();
});
