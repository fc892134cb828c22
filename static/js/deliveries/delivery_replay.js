/** Replaying several deliveries: all dead ones, or a range of numbers. */

import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { allRight, busyForm, field } from "../ui/field.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { replayedWords } from "./deliveries.js";

/** @typedef {import("../bots/bot_calls.js").Again} Again */
/** @typedef {(again: Again) => Promise<string[]>} Replay */

/** How many deliveries one request replays at most. */
const MOST = 200;

const isNumber = (/** @type {string} */ text) => /^[1-9]\d{0,19}$/.test(text);

/**
 * @param {Replay} replay
 * @param {() => { oldest: string, newest: string }} range the numbers that the form suggests
 */
export function createReplays(replay, range) {
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const dead = h("button", { class: "button", type: "submit" }, icon("again"), t("Replay all dead"));
  const some = h("button", { class: "button", type: "button", onclick: ask }, t("Replay a range…"));
  const form = h("form", { class: "replays" }, dead, some);
  const unable = h("p", { class: "quiet" }, UNABLE);
  const said = h("div", { class: "replays-said" }, unable, alert, outcome);
  form.addEventListener("submit", busyForm(dead, alert, replayDead));

  async function replayDead() {
    setText(outcome, "");
    say(await replay({ state: "dead" }));
  }

  function say(/** @type {string[]} */ ids) {
    const most =
      ids.length >= MOST ? t(" This is the maximum per request. Replay again to send the rest.") : "";
    setText(outcome, replayedWords(ids.length) + most);
  }

  function ask() {
    setText(alert, "");
    setText(outcome, "");
    openRange(replay, range(), say);
  }

  return {
    buttons: form,
    said,
    show(/** @type {boolean} */ canReplay) {
      form.hidden = !canReplay;
      unable.hidden = canReplay;
    },
  };
}

const UNABLE = t("You can replay deliveries only for an active bot with a callback URL.");

function openRange(
  /** @type {Replay} */ replay,
  /** @type {{ oldest: string, newest: string }} */ { oldest, newest },
  /** @type {(ids: string[]) => void} */ onDone,
) {
  const from = field({ label: t("From number"), inputmode: "numeric", autocomplete: "off", value: oldest });
  const to = field({ label: t("To number"), inputmode: "numeric", autocomplete: "off", value: newest });
  const words = h(
    "p",
    { class: "quiet" },
    t(
      "Including both numbers, oldest first, at most {MOST} at once. Messages that were delivered are sent again with the same webhook-id.",
      { MOST },
    ),
  );

  openForm({
    title: t("Replay a range"),
    asks: [words, h("div", { class: "range" }, from.node, to.node)],
    act: t("Replay"),
    onSubmit: send,
  });

  async function send(/** @type {() => void} */ close) {
    const [first, last] = [from.input.value.trim(), to.input.value.trim()];
    const isBackwards = isNumber(first) && isNumber(last) && BigInt(first) > BigInt(last);
    const fine = allRight([
      [from, !isNumber(first) && t("Enter a number from the log.")],
      [
        to,
        isNumber(last)
          ? isBackwards && t("This number is lower than the first one.")
          : t("Enter a number from the log."),
      ],
    ]);
    if (!fine) return;
    const ids = await replay({ from_id: first, to_id: last });
    close();
    onDone(ids);
  }
}
