/** What is said about bots and their deliveries, and how lists of them change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRoute } from "../../../static/js/app/route.js";
import { findBot, handleOf, heard, isCalledBack, sorted } from "../../../static/js/bots/bot_list.js";
import { sortProblems } from "../../../static/js/bots/bot_problems.js";
import { botHref, deliveryHref } from "../../../static/js/bots/bots_route.js";

const bot = (/** @type {string} */ id, facts = {}) => ({
  bot_id: id,
  group_id: "1",
  name: "Echo",
  avatar_url: null,
  callback_url: null,
  active: true,
  ...facts,
});

const event = (/** @type {string} */ type, /** @type {object} */ data, conv = "g:1") => ({
  c: "c",
  conv,
  n: 1,
  type,
  data,
});

const ECHO = "ukoqv9d5hcmgesn9fptlerfeyv";

test("the address of a bot's page finds the bot and does not tell its id", () => {
  const handle = handleOf(ECHO);
  assert.match(handle, /^[0-9a-z]{14}$/);
  assert.equal(botHref(handle).includes(ECHO), false);
  assert.equal(findBot([bot("other"), bot(ECHO)], handle)?.bot_id, ECHO);
  assert.equal(findBot([bot("other")], handle), null);
  assert.equal(findBot(null, handle), null);
});

test("bots that differ in one sign have different addresses", () => {
  const ids = [..."abcdefghijklmnopqrstuvwxyz0123456789"].flatMap((sign) =>
    [...ECHO].map((_, at) => ECHO.slice(0, at) + sign + ECHO.slice(at + 1)),
  );
  assert.equal(new Set(ids.map(handleOf)).size, new Set(ids).size);
});

test("addresses of the pages about bots", () => {
  const handle = handleOf(ECHO);
  const one = { name: "bot", handle, tab: "overview", delivery: null };
  assert.deepEqual(parseRoute("#/account/bots"), { name: "account", part: "bots" });
  assert.deepEqual(parseRoute("#/groups/42/bots"), { name: "bots", groupId: "42" });
  assert.deepEqual(parseRoute(botHref(handle)), one);
  assert.deepEqual(parseRoute(botHref(handle, "settings")), { ...one, tab: "settings" });
  const delivery = { ...one, tab: "deliveries", delivery: "12" };
  assert.deepEqual(parseRoute(deliveryHref(handle, "12")), delivery);
  assert.deepEqual(parseRoute(`${botHref(handle, "settings")}/12`), { name: "home" });
  assert.deepEqual(parseRoute(`#/bots/${ECHO}`), { name: "home" });
});

test("events make, change and remove my bots", () => {
  const made = heard([], event("bot.create", bot("a")));
  assert.deepEqual(made, [bot("a")]);
  const [changed] = heard(
    [{ ...bot("a"), ...{ receive_own: true } }],
    event("bot.update", bot("a", { active: false })),
  );
  assert.deepEqual(changed, { ...bot("a", { active: false }), receive_own: true });
  assert.deepEqual(heard([bot("a"), bot("b")], event("bot.delete", bot("a"))), [bot("b")]);
});

test("bots of others, and everything else, leave the list as it is", () => {
  const mine = [bot("a")];
  const { bot_id: _, ...others } = bot("x");
  for (const type of ["bot.create", "bot.update", "bot.delete"]) {
    assert.equal(heard(mine, event(type, others)), mine);
  }
  assert.equal(heard(mine, event("line.create", { text: "rope" })), mine);
  assert.equal(heard(mine, event("group.delete", {}, "g:2")), mine);
});

test("with a group its bots end", () => {
  const away = bot("b", { group_id: "2" });
  assert.deepEqual(heard([bot("a"), away], event("group.delete", { group_id: "1" })), [away]);
});

test("only an active bot with a URL is called back", () => {
  const url = { callback_url: "https://bots.example.org/" };
  assert.equal(isCalledBack(bot("a", url)), true);
  assert.equal(isCalledBack(bot("a")), false);
  assert.equal(isCalledBack(bot("a", { ...url, active: false })), false);
});

test("bots stand by their group, then by their name", () => {
  /** @type {Record<string, string>} */
  const groups = { 1: "Climbers", 2: "Book club" };
  const list = [bot("a", { name: "B" }), bot("b", { name: "A" }), bot("c", { name: "Z", group_id: "2" })];
  const order = sorted(list, (id) => groups[id]).map(({ name }) => name);
  assert.deepEqual(order, ["Z", "A", "B"]);
});

test("problems go to their fields, and others stay general", () => {
  const told = sortProblems(
    [
      "callback_url leads to a private network (10.0.0.1); an operator can open it with --callback-allow",
      "name must not be empty",
      "the moon is full",
    ],
    ["callback_url"],
  );
  assert.deepEqual(told, {
    at: {
      callback_url:
        "This URL leads to a private network (10.0.0.1); an operator can open it with --callback-allow.",
    },
    rest: ["name must not be empty", "the moon is full"],
  });
});
