/**
 * The form for how a bot takes part: which events it is called back for, its commands, whether its answers
 * are posted, and after how many seconds an event is too old to be delivered.
 */

import { EVENT_WORDS } from "../deliveries/deliveries.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, check, field, labelled } from "../ui/field.js";
import { t } from "../words/words.js";
import { commandLines, readCommands } from "./bot_commands.js";

/** @typedef {import("./bot_calls.js").WholeBot} WholeBot */
/** @typedef {import("./bots.js").BotActs} BotActs */

export function createBotHabits(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  const kinds = Object.entries(EVENT_WORDS).map(([event, label]) => {
    const input = h("input", { type: "checkbox", value: event });
    return { input, node: h("label", { class: "tick" }, input, label) };
  });
  const events = h("fieldset", { class: "ticks" }, h("legend", { class: "label" }, t("Callback events")));
  events.append(...kinds.map(({ node }) => node));
  const lines = h("textarea", {
    class: "input",
    dir: "auto",
    rows: 4,
    spellcheck: "false",
    autocomplete: "off",
  });
  const commands = {
    input: lines,
    ...labelled(lines, {
      label: t("Commands (optional)"),
      hint: t(
        "One per line: its name and what it does, like “tide When it is high”. Members find commands by typing /.",
      ),
    }),
  };
  const answers = check({
    label: t("Posts the answers of its listener"),
    hint: t(
      "If the listener answers with status 200 and JSON with a text, the bot posts the text in the group.",
    ),
  });
  const age = field({
    label: t("Too old after so many seconds (optional)"),
    type: "number",
    inputmode: "numeric",
    min: "1",
    hint: t("Messages that are older are not sent to the listener."),
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Save behaviour"));
  const form = h(
    "form",
    { class: "account-form", novalidate: true, oninput: () => setText(outcome, "") },
    events,
    commands.node,
    answers.node,
    age.node,
    alert,
    outcome,
    submit,
  );
  form.addEventListener("submit", busyForm(submit, alert, save));
  const node = h("section", { "aria-label": t("Behaviour") }, h("h3", {}, t("Behaviour")), form);
  // Only the full response has these settings; the form is hidden until it arrives.
  node.hidden = true;

  async function save() {
    setText(outcome, "");
    const asked = kinds.filter(({ input }) => input.checked).map(({ input }) => input.value);
    const { commands: read, problem } = readCommands(lines.value);
    const seconds = age.input.value.trim();
    const isAge = seconds === "" || /^\d{1,9}$/.test(seconds);
    const first = {
      ...commands,
      input: kinds[0].input,
      complain: (/** @type {string} */ it) => setText(alert, it),
    };
    const fine = allRight([
      [first, asked.length === 0 && t("Choose at least one callback event.")],
      [commands, problem],
      [age, !isAge && t("Enter a number of seconds.")],
    ]);
    if (!fine) return;
    const change = {
      events: asked,
      commands: read,
      post_answers: answers.input.checked,
      drop_older_than: Number(seconds),
    };
    show(await bots.change(id, change));
    setText(outcome, t("Saved."));
  }

  function show(/** @type {WholeBot} */ bot) {
    for (const { input } of kinds) input.checked = bot.events.includes(input.value);
    lines.value = commandLines(bot.commands);
    answers.input.checked = bot.post_answers;
    age.input.value = bot.drop_older_than ? String(bot.drop_older_than) : "";
    node.hidden = false;
  }

  return { node, show };
}
