/**
 * The page of one delivery: its state, the signed request, and the response.
 *
 * It refreshes while it is open; only the parts that differ are drawn again.
 */

import { handleOf, isCalledBack } from "../bots/bot_list.js";
import { botsOf } from "../bots/bots.js";
import { botHref } from "../bots/bots_route.js";
import { reasonOf } from "../text/reason.js";
import { exactTime } from "../text/time.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { busyForm } from "../ui/field.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { eventWords, isOpen, nextWords, outcomeWords, replayedWords, STATES } from "./deliveries.js";
import { deliveryChip } from "./delivery_chip.js";
import { textsOf } from "./delivery_texts.js";
import { answerSection, requestSection } from "./delivery_wire.js";
import { createPoll } from "./poll.js";

/** @typedef {import("../bots/bot_list.js").Bot} Bot */
/** @typedef {import("./deliveries.js").OpenDelivery} OpenDelivery */

const BUSY_MS = 2_000;
const CALM_MS = 12_000;
const TICK_MS = 1_000;

export function createDeliveryPage(/** @type {import("../app/app.js").App} */ app, /** @type {Bot} */ bot) {
  const bots = botsOf(app);
  const botId = bot.bot_id;
  let id = "";
  /** @type {OpenDelivery | null} */
  let shown = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;

  const title = h("h3", { tabindex: "-1" });
  const chip = h("span", {});
  const text = h("p", { class: "delivery-said", dir: "auto" });
  const stands = h("p", { class: "delivery-stands" });
  const facts = h("dl", { class: "facts delivery-known" });
  const wire = h("div", { class: "delivery-wire" });
  const trouble = h("p", { class: "alert", role: "alert" });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const again = h("button", { class: "button", type: "submit" }, icon("again"), t("Replay"));
  const form = h("form", {}, again);
  form.addEventListener("submit", busyForm(again, alert, replay));
  const all = h(
    "a",
    { class: "button-link", href: botHref(handleOf(botId), "deliveries") },
    t("All deliveries"),
  );
  const found = h(
    "div",
    { class: "delivery-found" },
    h(
      "section",
      { "aria-label": t("Delivery") },
      h("div", { class: "bots-top" }, h("div", { class: "delivery-title" }, title, chip), form),
      text,
      stands,
      facts,
      alert,
      outcome,
    ),
    wire,
  );
  const node = h("div", { class: "bots-page" }, h("p", {}, all), trouble, found);

  const poll = createPoll(
    async (isCurrent) => {
      try {
        const delivery = await bots.delivery(botId, id);
        if (isCurrent()) show(delivery);
      } catch (error) {
        if (isCurrent()) setText(trouble, reasonOf(error));
      }
      return shown && isOpen(shown) ? BUSY_MS : CALM_MS;
    },
    () => document.visibilityState === "visible",
  );

  function show(/** @type {OpenDelivery} */ delivery) {
    const before = shown;
    shown = delivery;
    setText(trouble, "");
    found.hidden = false;
    if (before?.state !== delivery.state) chip.replaceChildren(deliveryChip(delivery.state));
    setText(stands, STATES[delivery.state].means);
    tick();
    if (before && signOf(before) === signOf(delivery)) return;
    fillWith(wire, requestSection(delivery), answerSection(delivery));
    learn(delivery);
  }

  function tick() {
    if (!shown) return;
    const now = Date.now() / 1000;
    const { attempt, at, message_id: message } = shown;
    const told = [
      [t("Attempts"), attempt > 0 ? String(attempt) : t("None yet")],
      [t("Last attempt"), outcomeWords(shown)],
      [t("Changed"), exactTime(at)],
      [t("Next try"), nextWords(shown, now)],
      [t("Event"), eventWords(shown)],
      [t("Message"), message ?? ""],
    ].filter(([, words]) => words !== "");
    const sign = JSON.stringify(told);
    if (facts.dataset.sign === sign) return;
    facts.dataset.sign = sign;
    fillWith(facts, ...told.flatMap(([term, words]) => [h("dt", {}, term), h("dd", {}, words)]));
  }

  async function learn(/** @type {OpenDelivery} */ delivery) {
    const { id, message_id: message } = delivery;
    const words = eventWords(delivery);
    if (message && !words) await textsOf(bots).learn(bot.group_id, [message]);
    if (shown?.id === id) setText(text, words || textsOf(bots).of(message ?? ""));
  }

  async function replay() {
    setText(outcome, "");
    const ids = await bots.replayOne(botId, id);
    setText(outcome, replayedWords(ids.length));
    poll.soon();
  }

  return {
    node,
    show(/** @type {Bot} */ now) {
      form.hidden = !isCalledBack(now);
    },
    open(/** @type {string} */ wanted) {
      if (wanted !== id) {
        shown = null;
        found.hidden = true;
        for (const one of [text, alert, outcome, trouble]) setText(one, "");
      }
      id = wanted;
      setText(title, t("Delivery {id}", { id }));
      poll.start();
      ticking = setInterval(tick, TICK_MS);
    },
    close() {
      poll.stop();
      clearInterval(ticking);
    },
    hear: poll.soon,
    focus: () => title.focus(),
  };
}

const signOf = (/** @type {OpenDelivery} */ { request, answer, status, attempt, latency_ms: ms }) =>
  JSON.stringify([request, answer, status, attempt, ms]);
