/** A delivery's signed request, and the response of the bot's callback URL. */

import { copyable } from "../ui/copy.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { outcomeWords, pretty } from "./deliveries.js";

/** @typedef {import("./deliveries.js").OpenDelivery} OpenDelivery */

export function requestSection(/** @type {OpenDelivery} */ { request, attempt }) {
  const title = h("h3", {}, t("Request"));
  if (!request) return h("section", { "aria-label": t("Request") }, title, h("p", { class: "quiet" }, GONE));
  const headers = Object.entries(request.headers);
  return h(
    "section",
    { "aria-label": t("Request") },
    title,
    h("p", { class: "quiet" }, attempt === 0 ? FIRST : t("Signed for attempt {attempt}.", { attempt })),
    request.url && h("p", { class: "bot-url" }, h("code", {}, `POST ${request.url}`)),
    h("p", { class: "label" }, t("Headers")),
    h(
      "dl",
      { class: "headers" },
      ...headers.flatMap(([name, value]) => [
        h("dt", {}, h("code", {}, name)),
        h("dd", {}, h("code", {}, value)),
      ]),
    ),
    h("p", { class: "label" }, t("Body")),
    copyable({ label: t("body"), text: pretty(request.body), isLong: true }),
  );
}

export function answerSection(/** @type {OpenDelivery} */ delivery) {
  const { attempt, status, answer } = delivery;
  const words = answer?.trim() ?? "";
  return h(
    "section",
    { "aria-label": t("Answer") },
    h("h3", {}, t("Answer")),
    attempt === 0 && h("p", { class: "quiet" }, t("None yet: its first attempt is due.")),
    attempt > 0 && h("p", {}, outcomeWords(delivery), status === null && words !== "" && `: ${words}`),
    attempt > 0 &&
      status !== null &&
      words !== "" &&
      h("pre", { class: "code", tabindex: "0" }, pretty(words)),
    attempt > 0 && status !== null && words === "" && h("p", { class: "quiet" }, t("It had no body.")),
  );
}

const GONE = t("The message is gone, so the request cannot be shown.");
const FIRST = t("It will be signed like this for the first attempt.");
