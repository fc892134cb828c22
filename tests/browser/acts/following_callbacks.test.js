/** The delivery log of a bot: what its listener did, seen while it happens, and sent again. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { Listener } from "../listener.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("../listener.js").Heard} Heard */

/** Ana, her group, and a bot with a listener of its own that received the event of its creation. */
async function fixture(/** @type {import("node:test").TestContext} */ t) {
  const world = await World.start(t);
  const listener = await Listener.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  const bot = await ana.call("POST", "/v3/bots", {
    bot: { name: "Echo", group_id: climbers.id, callback_url: listener.url },
  });
  await listener.hears();
  return { world, listener, ana, ben, climbers, bot };
}

async function opensLog(/** @type {Person} */ person) {
  await person.visits("/#/account/bots");
  await person.page.getByRole("link", { name: /^Echo/ }).click();
  await person.page
    .getByRole("navigation", { name: "Bot" })
    .getByRole("link", { name: "Deliveries" })
    .click();
  await person.page.getByRole("region", { name: "Delivery log" }).waitFor();
}

/** The row of a delivery, by what was said and how it stands. */
const row = (/** @type {Person} */ person, /** @type {string | RegExp} */ words) =>
  person.page.getByRole("list", { name: "Deliveries" }).getByRole("link", { name: words });

const filter = (/** @type {Person} */ person, /** @type {string} */ state) =>
  person.page.getByRole("radio", { name: state }).check();

/** The listener answers so, and takes the next only when what comes back is called. */
function answersOnceSeen(/** @type {Listener} */ listener, /** @type {number} */ status) {
  /** @type {(status: number) => void} */
  let takes = () => {};
  const taken = new Promise((/** @type {(status: number) => void} */ resolve) => {
    takes = resolve;
  });
  listener.answers(status, taken);
  return () => takes(204);
}

function isSigned(/** @type {Heard} */ { headers, raw }, /** @type {string} */ secret) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${raw}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("a callback fails and succeeds before one's eyes", async (t) => {
  const { listener, ana, ben, climbers, bot } = await fixture(t);
  await opensLog(ana);
  await row(ana, /^Ana added the Echo bot\..*Delivered/).waitFor();
  const takes = answersOnceSeen(listener, 500);
  await ben.says(climbers, "rope at six");
  const failed = row(ana, /Ben: rope at six.*Failed.*1 attempt, 500 in \d+ ms, next try (in \d s|now)/);
  await failed.waitFor();
  // The focus stays on its row while the row changes.
  await failed.focus();
  takes();
  const first = await listener.hears();
  const second = await listener.hears();
  assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
  await row(ana, /Ben: rope at six.*Delivered.*2 attempts, 204 in \d+ ms$/).waitFor();
  const focused = () => ana.page.evaluate(() => document.activeElement?.textContent);
  await becomes(focused, /rope at six/);

  await ana.page.keyboard.press("Enter");
  await ana.page.getByRole("heading", { name: "Delivery 2" }).waitFor();
  await ana.sees("The listener accepted it.");
  const request = ana.page.getByRole("region", { name: "Request" });
  await request.getByText(`POST ${listener.url}`).waitFor();
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "webhook-attempt"]) {
    await request.getByText(String(second.headers[name]), { exact: true }).waitFor();
  }
  assert.equal(isSigned(second, bot.secret), true);
  const body = await request.locator(".copy-text").textContent();
  assert.deepEqual(JSON.parse(body ?? ""), second.body);
  assert.match(body ?? "", /\n {2}"text": "rope at six"/);
  await ana.page
    .getByRole("region", { name: "Answer" })
    .getByText(/^204 in \d+ ms$/)
    .waitFor();
  await ana.page.getByRole("link", { name: "All deliveries" }).click();
  await row(ana, "rope at six").and(ana.page.locator(":focus")).waitFor();
});

test("a delivery that is open changes while one looks at it", async (t) => {
  const { listener, ana, ben, climbers } = await fixture(t);
  const takes = answersOnceSeen(listener, 500);
  await ben.says(climbers, "rope at six");
  await listener.hears();
  await opensLog(ana);
  await row(ana, "rope at six").click();
  await ana.sees("It is retried automatically. Later messages wait for it.");
  await ana.sees('"error": "no rope 500"');
  takes();
  await ana.sees("The listener accepted it.");
  await ana.sees("It had no body.");
  // Once more, although it was taken.
  await listener.hears();
  await ana.presses("Replay");
  await ana.sees("1 delivery is being sent again.");
  const again = await listener.hears();
  assert.equal(again.body.text, "rope at six");
  assert.equal(again.headers["webhook-out-of-order"], "1");
  await ana.page.getByRole("region", { name: "Request" }).getByText("webhook-out-of-order").waitFor();
});

test("a listener that is gone switches its bot off; what it missed is sent again", async (t) => {
  const { listener, ana, ben, climbers } = await fixture(t);
  await opensLog(ana);
  listener.answers(410);
  await ben.says(climbers, "rope at six");
  await row(ana, /Ben: rope at six.*Dead.*410/).waitFor();
  await ana.sees("In Climbers, inactive");
  await ana.sees("You can replay deliveries only for an active bot with a callback URL.");
  await becomes(() => ana.page.getByRole("button", { name: "Replay all dead" }).isVisible(), false);
  await ana.page.getByRole("link", { name: "Back to your bots" }).click();
  const why = /^It was switched off because its callback URL answered 410 \(Gone\), .+\.$/;
  await ana.sees(why);
  await ana.page.getByRole("main").getByRole("link", { name: "Echo" }).click();
  await ana.sees(why);
  await ana.presses("Switch on");
  await ana.page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: "Deliveries" }).click();
  await filter(ana, "Dead");
  await row(ana, "rope at six").waitFor();
  await listener.hears();
  await ana.presses("Replay all dead");
  await ana.sees("1 delivery is being sent again.");
  assert.equal((await listener.hears()).body.text, "rope at six");
  await ana.sees("No delivery is dead.");
  await filter(ana, "Delivered");
  await row(ana, /rope at six.*Delivered/).waitFor();
  await ana.presses("Replay all dead");
  await ana.sees("There was nothing to replay.");
});

test("a range is replayed, and errors appear at its fields", async (t) => {
  const { listener, ana, ben, climbers } = await fixture(t);
  for (const text of ["one", "two", "three"]) {
    await ben.says(climbers, text);
    await listener.hears();
  }
  await opensLog(ana);
  await row(ana, /three.*Delivered/).waitFor();
  await ana.presses("Replay a range…");
  await ana.fills({ "From number": "3", "To number": "two" });
  await ana.presses("Replay");
  await ana.sees("Enter a number from the log.");
  await ana.fills({ "To number": "2" });
  await ana.presses("Replay");
  await ana.sees("This number is lower than the first one.");
  await ana.fills({ "From number": "2", "To number": "3" });
  await ana.presses("Replay");
  await ana.sees("2 deliveries are being sent again.");
  const texts = [(await listener.hears()).body.text, (await listener.hears()).body.text];
  assert.deepEqual(texts.sort(), ["one", "two"]);
});

test("older deliveries load by page and keyboard", async (t) => {
  const { listener, ana, ben, climbers } = await fixture(t);
  for (let number = 1; number <= 45; number += 1) {
    await ben.says(climbers, `line ${number}`);
    await listener.hears();
  }
  await opensLog(ana);
  await row(ana, /Ben: line 45 /).waitFor();
  const rows = ana.page.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
  await becomes(() => rows.count(), 20);
  await ana.presses("Older");
  await row(ana, /Ben: line 6 /).waitFor();
  await becomes(() => rows.count(), 40);
  await row(ana, /Ben: line 25 /)
    .and(ana.page.locator(":focus"))
    .waitFor();
  await ana.presses("Older");
  await row(ana, /^Ana added the Echo bot\./).waitFor();
  await becomes(() => rows.count(), 46);
  await ana.page.getByRole("button", { name: "Older", exact: true }).waitFor({ state: "hidden" });
  // What is said now comes on top, and nothing below is lost.
  await ben.says(climbers, "one more");
  await row(ana, "one more").waitFor();
  await becomes(() => rows.count(), 47);
});

test("an unresponsive listener is described", async (t) => {
  const { ana, climbers } = await fixture(t);
  // Nobody listens on the port for discarding.
  const url = "http://127.0.0.1:9/";
  const bot = (await ana.call("GET", "/v3/bots"))[0].bot_id;
  await ana.call("POST", `/v3/bots/${bot}/update`, { callback_url: url });
  await ana.says(climbers, "anybody there?");
  await opensLog(ana);
  await row(ana, /anybody there\?.*Failed.*no answer after/).click();
  await ana.page
    .getByRole("region", { name: "Answer" })
    .getByText(/^no answer after .*: .*refused/i)
    .waitFor();
});

test("one delivery fits a phone", async (t) => {
  const { world, listener, ana, ben, climbers } = await fixture(t);
  await ben.says(climbers, `https://example.org/${"rope".repeat(100)}`);
  await listener.hears();
  const phone = await world.visitor("Ana", { phone: true });
  phone.token = ana.token;
  await phone.isSignedIn();
  await opensLog(phone);
  await row(phone, /roperope/).click();
  await phone.page.getByRole("region", { name: "Request" }).waitFor();
  const tooWide = await phone.page.evaluate(() => {
    const body = [...document.querySelectorAll(".bots-body")].find((one) => one.clientWidth > 0);
    return [
      document.documentElement.scrollWidth - innerWidth,
      (body?.scrollWidth ?? 0) - (body?.clientWidth ?? 0),
    ];
  });
  assert.deepEqual(tooWide, [0, 0]);
});
