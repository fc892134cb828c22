/** The button that sends a test to a bot's callback URL, and the response. */

import { outcomeWords } from "../deliveries/deliveries.js";
import { reasonOf } from "../text/reason.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("./bot_calls.js").Tested} Tested */

const isTaken = (/** @type {Tested} */ { status }) => status !== null && status >= 200 && status < 300;

export function createBotTest(/** @type {(id: string) => Promise<Tested>} */ test, /** @type {string} */ id) {
  const button = h(
    "button",
    { class: "button", type: "button", onclick: send },
    icon("send"),
    t("Send a test"),
  );
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("div", { class: "tested", role: "status" });
  const node = h("div", { class: "bot-test" }, button, alert, outcome);

  async function send() {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    setText(alert, "");
    fillWith(outcome, h("p", { class: "quiet" }, t("Waiting for an answer…")));
    try {
      fillWith(outcome, ...words(await test(id)));
    } catch (error) {
      fillWith(outcome);
      setText(alert, reasonOf(error));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }

  return { node };
}

function words(/** @type {Tested} */ tested) {
  const good = isTaken(tested);
  const answer = tested.answer?.trim() ?? "";
  const heard = tested.status === null && answer !== "";
  return [
    h(
      "p",
      { class: "tested-words" },
      h(
        "span",
        { class: good ? "chip chip-good" : "chip chip-bad" },
        icon(good ? "check" : "warning"),
        good ? t("Accepted") : t("Rejected"),
      ),
      h("span", {}, outcomeWords(tested), heard && `: ${answer}`),
    ),
    answer !== "" && !heard && h("pre", { class: "code" }, answer),
  ];
}
