/**
 * The panel beside the open conversation: its details, and the pages that they lead to. On narrow screens it
 * covers the conversation.
 *
 * Owns which page is shown, and where its buttons lead: back to the details if it was opened there, else to the
 * conversation.
 */

import { CLOSES } from "../app/page_history.js";
import { convOf, hrefOf, panelHref, panelOf } from "../app/route.js";
import { eventsPage } from "../calendar/events.js";
import { isReadOnly } from "../groups/standstill.js";
import { noticesPage } from "../notices/notice_settings.js";
import { galleryPage } from "../pictures/gallery.js";
import { pollsPage } from "../polls/polls.js";
import { searchPage } from "../search/search.js";
import { threadPage } from "../threads/thread.js";
import { isTopic } from "../topics/topics.js";
import { topicsPage } from "../topics/topics_page.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { closingHref, isBeside } from "./beside.js";
import { createOverview } from "./overview.js";
import { pinnedPage } from "./pinned.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/state.js").State} State */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

/**
 * @typedef {object} Page a page of the panel
 * @property {string} title
 * @property {Node[]} nodes
 * @property {Node[]} [tools] further buttons in the head of the panel
 * @property {() => boolean} [focus] focuses its field; returns whether it has one
 * @property {() => void} [leave] called when the page is no longer shown
 */

export function createDetails(/** @type {App} */ app) {
  const overview = createOverview(app);
  const title = h("h2", { class: "panel-title", tabindex: "-1" });
  const back = h(
    "a",
    {
      class: "button-icon",
      "aria-label": t("Back to the details"),
      title: t("Back to the details"),
      ...CLOSES,
    },
    icon("back"),
  );
  const close = h(
    "a",
    { class: "button-icon", "aria-label": t("Close details"), title: t("Close details"), ...CLOSES },
    icon("close"),
  );
  const tools = h("div", { class: "panel-tools" });
  const place = h("div", { class: "panel-place" });
  const node = h(
    "aside",
    { class: "panel" },
    h("header", { class: "panel-head" }, back, title, tools, close),
    place,
  );
  /** @type {Page | null} */
  let page = null;
  let shown = "";

  function leave() {
    page?.leave?.();
    page = null;
    shown = "";
    fillWith(place);
    fillWith(tools);
  }

  function open(/** @type {Conversation | null} */ conversation, /** @type {State} */ state) {
    leave();
    const made = pageOf(app, conversation, state.route) ?? { title: t("Details"), nodes: [overview.node] };
    page = made;
    setText(title, made.title);
    node.setAttribute("aria-label", made.title);
    fillWith(place, ...made.nodes);
    fillWith(tools, ...(made.tools ?? []));
    lead(state);
  }

  /** Sets where the buttons of the head lead. */
  function lead(/** @type {State} */ { route }) {
    const href = closingHref(route);
    const conv = convOf(route);
    const isBelow = conv !== null && href === panelHref(conv);
    back.hidden = !isBelow;
    close.hidden = isBelow;
    for (const link of [back, close]) link.setAttribute("href", href);
  }

  return {
    node,
    show(/** @type {State} */ state) {
      const { snapshot, route } = state;
      const panel = panelOf(route);
      const known = panel ? snapshot?.conversations[convOf(route) ?? ""] : null;
      const conversation = known && !known.filling ? known : null;
      node.hidden = !(snapshot && (conversation || panel === "search"));
      // On a narrow screen, only the head is left above the message that a search found.
      node.classList.toggle("panel-strip", "message" in route && Boolean(route.message));
      overview.show(conversation && panel === "details" ? conversation : null, state);
      if (node.hidden) return leave();
      const thread = "thread" in route ? route.thread : "";
      // A search goes from one conversation to the next.
      const sign =
        panel === "search"
          ? panel
          : `${conversation?.conv} ${panel} ${thread} ${offers(panel, conversation)}`;
      if (sign !== shown) open(conversation, state);
      else lead(state);
      shown = sign;
    },
    focus() {
      if (!page?.focus?.()) title.focus();
    },
  };
}

/** Changes when a page has to be made again, since its acts are offered no longer, or offered again. */
const offers = (/** @type {string | null} */ panel, /** @type {Conversation | null} */ conversation) =>
  ["polls", "events", "pinned"].includes(panel ?? "") && !isReadOnly(conversation?.group);

/** @returns {Page | null} null for the details themselves */
function pageOf(
  /** @type {App} */ app,
  /** @type {Conversation | null} */ conversation,
  /** @type {import("../app/route.js").Route} */ route,
) {
  if (panelOf(route) === "search") return searchPage(app, conversation?.conv ?? "");
  if (!conversation) return null;
  const { conv } = conversation;
  // Where the panel covers the conversation, it would cover the new card in it.
  const onMade = () => !isBeside() && pages.close(hrefOf(conv));
  switch (panelOf(route)) {
    case "gallery":
      return galleryPage(app, conversation);
    case "pinned":
      return pinnedPage(app, conversation);
    case "polls":
      return conversation.kind === "group" ? pollsPage(app, conversation, onMade) : null;
    case "events":
      return eventsPage(app, conversation, onMade);
    case "topics":
      return conversation.kind === "group" && !isTopic(conversation) ? topicsPage(app, conversation) : null;
    case "notices":
      return noticesPage(app, conversation);
    case "thread":
      return threadPage(app, conv, ("thread" in route && route.thread) || "");
    default:
      return null;
  }
}
