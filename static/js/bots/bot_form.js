/**
 * The form for a bot's name, callback URL, and whether it is active and hears itself.
 *
 * Owns filling the fields, also when the bot is changed elsewhere, and sending only the fields that differ.
 */

import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, check } from "../ui/field.js";
import { t } from "../words/words.js";
import { nameField, nameProblem, tellingAt, urlField, urlProblem } from "./bot_field.js";

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("./bot_calls.js").WholeBot} WholeBot */
/** @typedef {import("./bots.js").BotActs} BotActs */

export function createBotForm(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  const name = nameField();
  const url = urlField();
  const active = check({
    label: t("Active"),
    hint: t("An inactive bot cannot post and receives no messages. They are not delivered later."),
  });
  const own = check({
    label: t("Receives its own messages"),
    hint: t(
      "The bot's own messages are also sent to its callback URL. Make sure that it does not answer itself.",
    ),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Save changes"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true, oninput: () => setText(outcome, "") },
    name.node,
    url.node,
    active.node,
    own.node,
    alert,
    outcome,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  // Only the full response has `receive_own`; until it arrives, the box cannot be set.
  own.input.disabled = true;

  /** The values with which the fields were last filled. @type {Partial<WholeBot>} */
  let base = {};

  /** Shows the bot, except in fields that the user has edited. */
  function show(/** @type {Bot & { receive_own?: boolean }} */ bot) {
    fill(name.input, base.name ?? "", bot.name);
    fill(url.input, base.callback_url ?? "", bot.callback_url ?? "");
    tick(active.input, base.active ?? false, bot.active);
    if (bot.receive_own !== undefined) {
      tick(own.input, base.receive_own ?? false, bot.receive_own);
      own.input.disabled = false;
    }
    base = { ...base, ...bot };
  }

  async function save() {
    setText(outcome, "");
    const called = name.input.value.trim();
    const callback = url.input.value.trim();
    const fine = allRight([
      [name, nameProblem(called)],
      [url, urlProblem(callback)],
    ]);
    if (!fine) return;
    const request = {
      name: called !== base.name ? called : undefined,
      callback_url: callback !== (base.callback_url ?? "") ? callback : undefined,
      active: active.input.checked !== base.active ? active.input.checked : undefined,
      receive_own: own.input.checked !== (base.receive_own ?? false) ? own.input.checked : undefined,
    };
    await tellingAt({ name, callback_url: url }, async () => {
      show(await bots.change(id, request));
      setText(outcome, t("Saved."));
    });
  }

  async function load() {
    try {
      const whole = await bots.change(id);
      show(whole);
      return whole;
    } catch (error) {
      setText(alert, reasonOf(error));
      return null;
    }
  }

  return {
    node: h("section", { "aria-label": t("Settings") }, h("h3", {}, t("Settings")), form),
    show,
    load,
  };
}

function fill(
  /** @type {HTMLInputElement} */ input,
  /** @type {string} */ before,
  /** @type {string} */ now,
) {
  if (input.value === before) input.value = now;
}

function tick(
  /** @type {HTMLInputElement} */ input,
  /** @type {boolean} */ before,
  /** @type {boolean} */ now,
) {
  if (input.checked === before) input.checked = now;
}
