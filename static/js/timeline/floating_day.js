/**
 * The day of the messages at the upper edge, which is shown while the reader scrolls through them. Decoration: the
 * lines between the days say it too.
 */

import { dayLabel } from "../text/time.js";
import { h, setText } from "../ui/dom.js";

/** For how long it stays after the last scrolling, in milliseconds. */
const STAYS_MS = 1_500;
/** A line between two days that stands this close to the edge says it itself. */
const NEAR_PX = 64;

/** @typedef {import("./timeline_rows.js").TimelineRow} TimelineRow */

export function createFloatingDay() {
  const label = h("span", {});
  const node = h("p", { class: "floating-day", "aria-hidden": "true" }, label);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let ending;

  function hide() {
    clearTimeout(ending);
    node.classList.remove("floating-day-shown");
  }

  return {
    node,
    hide,
    /** Shows the day of the first visible row. */
    show(
      /** @type {readonly TimelineRow[]} */ rows,
      /** @type {readonly import("./place_keeper.js").Stood[]} */ visible,
    ) {
      const near = visible
        .filter(({ top }) => top < NEAR_PX)
        .map(({ key }) => rows.find((row) => row.key === key));
      const first = near.find((row) => row && "at" in row && row.at !== "");
      if (!first || !("at" in first) || near.some((row) => row?.kind === "day")) return hide();
      setText(label, dayLabel(Date.parse(first.at) / 1000, Date.now() / 1000));
      node.classList.add("floating-day-shown");
      clearTimeout(ending);
      ending = setTimeout(hide, STAYS_MS);
    },
  };
}
