/** The overview tab of a bot: its state, a test of its callback URL, and how to post as the bot. */

import { copyable } from "../ui/copy.js";
import { fillWith, h } from "../ui/dom.js";
import { busyForm } from "../ui/field.js";
import { t } from "../words/words.js";
import { createFreshSecret } from "./bot_secret.js";
import { botChip, botSentence, offSentence } from "./bot_state.js";
import { createBotTest } from "./bot_test.js";
import { botsOf } from "./bots.js";

/** @typedef {import("./bot_list.js").Bot} Bot */

export function createBotOverview(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {string} */ id,
  /** @type {() => void} */ focusTitle,
) {
  const fresh = createFreshSecret(botsOf(app), id, focusTitle);
  const test = createBotTest(botsOf(app).test, id);
  const stands = h("div", { class: "bot-stands" });
  const alert = h("p", { class: "alert", role: "alert" });
  const turnOn = h("button", { class: "button", type: "submit" }, t("Switch on"));
  const off = h("form", {}, turnOn);
  off.addEventListener(
    "submit",
    busyForm(turnOn, alert, async () => {
      await botsOf(app).change(id, { active: true });
      focusTitle();
    }),
  );
  const pull = pullSection(id);
  const node = h(
    "div",
    { class: "bots-page" },
    fresh.node,
    h("section", { "aria-label": t("Status") }, h("h3", {}, t("Status")), stands, off, alert, test.node),
    postSection(id),
    pull,
  );
  let shown = "";
  /** Why the bot is inactive; "" until that is known. */
  let why = "";

  function show(/** @type {Bot} */ bot) {
    fresh.show();
    test.node.hidden = !bot.callback_url;
    off.hidden = bot.active;
    pull.hidden = Boolean(bot.callback_url);
    const sign = JSON.stringify([bot, why]);
    if (sign === shown) return;
    const wasActive = shown === "" || JSON.parse(shown)[0].active;
    shown = sign;
    fillWith(
      stands,
      h("p", { class: "bot-stands-line" }, botChip(bot), h("span", {}, botSentence(bot))),
      !bot.active && why !== "" && h("p", {}, why),
      bot.callback_url && h("p", { class: "bot-url" }, h("code", {}, bot.callback_url)),
    );
    if (!bot.active && wasActive) askWhy(bot);
  }

  async function askWhy(/** @type {Bot} */ bot) {
    why = "";
    why = await botsOf(app)
      .goneAt(id)
      .then(offSentence, () => "");
    show(app.state.get().bots?.find((known) => known.bot_id === id) ?? bot);
  }

  return { node, show };
}

function postSection(/** @type {string} */ id) {
  const line = `curl ${location.origin}/v3/bots/post \\\n  -H 'Content-Type: application/json' \\\n  -d '{"bot_id": "${id}", "text": "Hello"}'`;
  return h(
    "section",
    { "aria-label": t("Post as the bot") },
    h("h3", {}, t("Post as the bot")),
    h("p", { class: "quiet" }, t("Anyone who knows the bot id can post as the bot. Keep it secret.")),
    h("p", { class: "label" }, t("Bot id")),
    copyable({ label: t("bot id"), text: id }),
    h("p", { class: "label" }, t("In a shell")),
    copyable({ label: t("curl line for posting"), text: line, isLong: true }),
  );
}

function pullSection(/** @type {string} */ id) {
  const line = `curl -H "Authorization: Bearer $SECRET" \\\n  "${location.origin}/v3/bots/${id}/events?after=$LAST_ID"`;
  return h(
    "section",
    { "aria-label": t("Read without a callback URL") },
    h("h3", {}, t("Read without a callback URL")),
    h(
      "p",
      { class: "quiet" },
      t("A bot without a callback URL requests new messages with its secret and remembers the last id."),
    ),
    copyable({ label: t("curl line for reading"), text: line, isLong: true }),
  );
}
