/** What one is called: everywhere, in one group; where one is reached. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a name and an email address are changed, and others see the name", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ben.visits("/#/account");
  const profile = ben.page.getByRole("region", { name: "Profile" });
  const name = profile.getByLabel("Your name", { exact: true });
  await becomes(() => name.inputValue(), "Ben");
  await name.fill("");
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByText("Enter your name.").waitFor();
  await name.fill("Benjamin");
  await profile.getByLabel("Email", { exact: true }).fill("benjamin@example.org");
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByText("Saved.").waitFor();
  await becomes(async () => (await ben.call("GET", "/v3/users/me")).email, "benjamin@example.org");
  await ben.writesTo(ana, "it is me");
  await ana.inList("Benjamin").waitFor();
  // What belongs to somebody else is refused with a reason.
  await profile.getByLabel("Email", { exact: true }).fill(ana.email);
  await profile.getByRole("button", { name: "Save" }).click();
  await ben.isTold("This email or phone number already belongs to an account.");
});

test("in a group one may be called otherwise", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.opens("Climbers");
  await ben.opensMembers();
  await ben.presses("Your name here");
  await ben.fills({ "Your name in this group": "Big Ben" });
  await ben.presses("Save");
  await ben.page.getByRole("dialog").waitFor({ state: "detached" });
  await ben.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.page.locator(".line-author").getByText("Big Ben").waitFor();
});

test("a phone number is added, is nobody else's, and is removed", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ana.call("POST", "/v3/users/update", { phone_number: "+1 555 010 0142" });
  await ben.visits("/#/account");
  const profile = ben.page.getByRole("region", { name: "Profile" });
  const phone = profile.getByLabel("Phone number (optional)", { exact: true });
  const saves = () => profile.getByRole("button", { name: "Save" }).click();
  const mine = async () => (await ben.call("GET", "/v3/users/me")).phone_number;
  await becomes(() => phone.inputValue(), "");
  await phone.fill("call me");
  await saves();
  await profile.getByText(/^Enter a phone number with its country code/).waitFor();
  await phone.fill("1 (555) 010-0142");
  await saves();
  await ben.isTold("This email or phone number already belongs to an account.");
  await phone.fill("+1 555 010 0199");
  await saves();
  await profile.getByText("Saved.").waitFor();
  await becomes(mine, "+1 555 010 0199");
  // What goes out by SMS goes there.
  const mode = ben.page.getByRole("region", { name: "SMS mode" });
  await mode.getByText(/receive new messages as SMS at \+1 555 010 0199/).waitFor();
  // Another device sees it too.
  await ben.page.reload();
  await becomes(() => phone.inputValue(), "+1 555 010 0199");
  await phone.fill("");
  await saves();
  await mode.getByText("This account has no phone number").waitFor();
  await becomes(mine, null);
});

test("SMS mode can be turned on with a phone number", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  await ana.registers({ "Phone number (optional)": "+351 912 345 678" });
  await ana.isConnected();
  await ana.visits("/#/account");
  const mode = ana.page.getByRole("region", { name: "SMS mode" });
  await mode.getByText(/Without mobile data/).waitFor();
  await mode.getByLabel("Duration").selectOption({ label: "For 8 hours" });
  await mode.getByRole("button", { name: "Turn on SMS mode" }).click();
  await mode.getByText(/^New messages are sent as SMS to \+351/).waitFor();
  await mode.getByRole("button", { name: "Turn off SMS mode" }).click();
  await mode.getByText(/Without mobile data/).waitFor();

  const ben = await world.person("Ben");
  await ben.visits("/#/account");
  await ben.page.getByText("This account has no phone number").waitFor();
});

test("a phone number keeps the order of its digits where words are read from the right", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.call("POST", "/v3/users/update", { phone_number: "+1 555 010 0199" });
  await ana.page.evaluate(() => localStorage.setItem("coterie.look", '{"language":"ar"}'));
  await ana.visits("/#/account");
  await ana.page.reload();
  await ana.page.getByText("\u2068+1 555 010 0199\u2069").waitFor();
});
