/**
 * The navigation beside a long page: a button for each of its sections, which leads to it, and marks the section that
 * is being read. A narrow page has a field to choose from above it instead.
 *
 * Owns the list of sections, which follows the sections as they come and go. The page owns its sections: each that has
 * a heading gets a button with its words.
 */

import { t } from "../words/words.js";
import { h, reconcile } from "./dom.js";

/** How far below the upper edge a section begins that counts as the one being read, in pixels. */
const READING_PX = 120;

/**
 * @param {HTMLElement} page contains the sections
 * @param {HTMLElement} scroller scrolls the page
 */
export function createSectionNav(page, scroller) {
  const list = h("ul", { class: "section-nav-list" });
  const choice = h("select", {
    class: "input section-choice",
    "aria-label": t("Sections"),
    onchange: () => scrollTo(choice.value),
  });
  const node = h("nav", { class: "section-nav", "aria-label": t("Sections") }, list, choice);
  /** The section that was chosen here, and the position and height of the page at it.
   * @type {{ words: string, top: number, height: number } | null} */
  let chosen = null;
  /** Waits for the next frame, in which several changes are drawn at once. */
  let isPlanned = false;
  /** The sections that the field offers. */
  let chosenFrom = "";

  const headings = () =>
    [...page.querySelectorAll("section > h3")].filter((heading) => heading.getClientRects().length > 0);

  /** Sections that come or grow move the chosen one, and the page follows it; people who scroll leave it. */
  function keepChosen() {
    if (!chosen) return;
    if (chosen.height !== scroller.scrollHeight) bring(chosen.words);
    else if (chosen.top !== scroller.scrollTop) chosen = null;
  }

  /**
   * The section that was chosen, until the page is scrolled away from it; otherwise the one at the upper edge. Over the
   * last height of the window, which the upper edge never reaches, what counts moves down to the lower edge.
   */
  function current(/** @type {Element[]} */ all) {
    const meant = all.findIndex(({ textContent }) => textContent === chosen?.words);
    if (meant >= 0) return meant;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const ahead = Math.min(Math.max(scrollHeight - scrollTop - clientHeight, 0), clientHeight);
    const down = scrollTop > 0 ? (1 - ahead / clientHeight) * (clientHeight - READING_PX) : 0;
    const edge = scroller.getBoundingClientRect().top + READING_PX + down;
    return Math.max(
      0,
      all.findLastIndex((heading) => heading.getBoundingClientRect().top <= edge),
    );
  }

  function draw() {
    isPlanned = false;
    if (!page.isConnected) {
      chosen = null;
      return;
    }
    keepChosen();
    const all = headings();
    const place = current(all);
    reconcile(
      list,
      all.map((heading, at) => {
        const words = heading.textContent ?? "";
        return { key: words, sign: `${at === place}`, build: () => item(words, at === place) };
      }),
    );
    const words = all.map((heading) => heading.textContent ?? "");
    if (words.join("\n") !== chosenFrom) {
      chosenFrom = words.join("\n");
      choice.replaceChildren(...words.map((one) => h("option", { value: one }, one)));
    }
    choice.value = words[place] ?? "";
  }

  function item(/** @type {string} */ words, /** @type {boolean} */ isCurrent) {
    const facts = { class: "section-link", type: "button", "aria-current": isCurrent && "true" };
    return h("li", {}, h("button", { ...facts, onclick: () => goTo(words) }, words));
  }

  const find = (/** @type {string} */ words) => headings().find(({ textContent }) => textContent === words);

  /** Scrolls to a section, and holds the page there. */
  function bring(/** @type {string} */ words) {
    const heading = find(words);
    heading?.parentElement?.scrollIntoView({ block: "start", behavior: "instant" });
    chosen = heading ? { words, top: scroller.scrollTop, height: scroller.scrollHeight } : null;
    return heading;
  }

  function scrollTo(/** @type {string} */ words) {
    plan();
    return bring(words);
  }

  /** Leads to the section with this heading. */
  function goTo(/** @type {string} */ words) {
    const heading = scrollTo(words);
    if (!(heading instanceof HTMLElement)) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(draw);
  }

  scroller.addEventListener("scroll", plan, { passive: true });
  new ResizeObserver(plan).observe(page);
  return { node, goTo };
}
