/**
 * The delivery log of one bot, newest first.
 *
 * Owns the rows, the filter and the button for older pages. It refreshes while it is open; what is loaded and
 * when is decided by `delivery_log.js`.
 */

import { handleOf, isCalledBack } from "../bots/bot_list.js";
import { botsOf } from "../bots/bots.js";
import { reasonOf } from "../text/reason.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { eventWords, STATES } from "./deliveries.js";
import { createFilter } from "./delivery_filter.js";
import { createDeliveryLog } from "./delivery_log.js";
import { createReplays } from "./delivery_replay.js";
import { createDeliveryRow } from "./delivery_row.js";
import { textsOf } from "./delivery_texts.js";

/** @typedef {import("../bots/bot_list.js").Bot} Bot */
/** @typedef {import("./deliveries.js").State} State */
/** @typedef {import("./delivery_log.js").Log} Log */
/** @typedef {import("./delivery_row.js").DeliveryRow} DeliveryRow */

/** How often the rows' times are updated ("in 25 s" becomes "in 24 s"), in milliseconds. */
const TICK_MS = 1_000;

export function createLogView(/** @type {import("../app/app.js").App} */ app, /** @type {Bot} */ bot) {
  const bots = botsOf(app);
  const id = bot.bot_id;
  const handle = handleOf(id);
  /** @type {State | null} */
  let filter = null;
  /** @type {Log | null} */
  let shown = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let ticking;
  /** @type {Map<string, DeliveryRow>} */
  let views = new Map();

  const isSeen = () => document.visibilityState === "visible";
  const log = createDeliveryLog({ api: bots, isSeen, onChange: show });
  const replays = createReplays(replay, () => ({
    oldest: shown?.list?.at(-1)?.id ?? "1",
    newest: shown?.list?.[0]?.id ?? "1",
  }));
  const trouble = h("p", { class: "alert", role: "alert" });
  const nothing = h("p", { class: "bots-none" });
  const rows = h("ul", { class: "deliveries", "aria-label": t("Deliveries") });
  const more = h("button", { class: "button older", type: "button", onclick: older }, t("Older"));
  const node = h(
    "div",
    { class: "bots-page" },
    h(
      "section",
      { "aria-label": t("Delivery log") },
      h("div", { class: "bots-top" }, h("h3", {}, t("Deliveries")), replays.buttons),
      replays.said,
      createFilter((state) => {
        filter = state;
        log.open(id, filter);
      }),
      trouble,
      nothing,
      rows,
      more,
    ),
  );

  function show(/** @type {Log} */ next) {
    shown = next;
    const { list, isWhole } = next;
    setText(trouble, next.trouble);
    more.hidden = isWhole || !list;
    nothing.hidden = !list || list.length > 0;
    setText(
      nothing,
      filter ? t("No delivery is {it}.", { it: STATES[filter].label.toLowerCase() }) : NOTHING,
    );
    const before = views;
    views = new Map();
    for (const delivery of list ?? []) {
      const known = before.get(delivery.id) ?? createDeliveryRow({ handle, id: delivery.id });
      views.set(delivery.id, known);
    }
    const built = [...views].map(([key, view]) => ({ key, sign: "", build: () => view.node }));
    reconcile(rows, built);
    tick();
    learn(list ?? []);
  }

  function tick() {
    const now = Date.now() / 1000;
    for (const one of shown?.list ?? [])
      views.get(one.id)?.show(one, eventWords(one) || textsOf(bots).of(one.message_id ?? ""), now);
  }

  async function learn(/** @type {import("./deliveries.js").Delivery[]} */ list) {
    const ids = list.flatMap(({ message_id: message }) => (message ? [message] : []));
    await textsOf(bots).learn(bot.group_id, ids);
    tick();
  }

  async function older() {
    if (more.getAttribute("aria-disabled") === "true") return;
    more.setAttribute("aria-disabled", "true");
    setText(trouble, "");
    const last = rows.lastElementChild;
    try {
      await log.older();
      // The button may be hidden by now; the focus goes to the first of the loaded rows.
      /** @type {HTMLElement | null | undefined} */ (last?.nextElementSibling?.querySelector("a"))?.focus();
    } catch (error) {
      setText(trouble, reasonOf(error));
    } finally {
      more.removeAttribute("aria-disabled");
    }
  }

  async function replay(/** @type {import("../bots/bot_calls.js").Again} */ again) {
    const ids = await bots.replayMany(id, again);
    log.open(id, filter);
    return ids;
  }

  return {
    node,
    show: (/** @type {Bot} */ now) => replays.show(isCalledBack(now)),
    open() {
      log.open(id, filter);
      ticking = setInterval(tick, TICK_MS);
    },
    close() {
      log.close();
      clearInterval(ticking);
    },
    hear: log.soon,
    /** Focuses the row of a delivery that was just left. Returns whether the log has it. */
    focus: (/** @type {string} */ delivery) => {
      views.get(delivery)?.node.querySelector("a")?.focus();
      return views.has(delivery);
    },
  };
}

const NOTHING = t("Nothing was delivered yet. New messages of the group appear here.");
