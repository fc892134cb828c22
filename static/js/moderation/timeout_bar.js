/**
 * The bar in place of the composer for a user who is timed out in the open group: why it is shut, and until when.
 *
 * Owns the end of the timeout: it comes with the group, changes with events, and is loaded again when events may have
 * been missed.
 */

import { openAppeal } from "../app/windows.js";
import { convOfGroup } from "../sync/store.js";
import { exactTime } from "../text/time.js";
import { homeId } from "../topics/topics.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";

/** The longest time that a timer of a browser waits. */
const LONGEST_MS = 2 ** 31 - 1;

/** @param {import("../app/app.js").App} app @param {() => void} onChange */
export function createTimeoutBar(app, onChange) {
  const words = h("span", { role: "status" });
  const appeal = h(
    "button",
    { class: "button-link", type: "button", onclick: () => openAppeal(app, groupId) },
    t("Appeal…"),
  );
  const node = h("p", { class: "blocked-bar", hidden: true }, words, " ", appeal);
  let groupId = "";
  /** When the timeout ends, in Unix time in seconds; 0 if there is none. */
  let until = 0;
  /** The number of the newest load: answers to earlier ones come too late. */
  let newest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let connection = app.state.get().connection;
  let hasBeenLive = connection === "live";
  /** What is newer than the groups: the ends of timeouts by conversation. @type {Map<string, number>} */
  const ended = new Map();

  async function load() {
    newest += 1;
    const own = newest;
    const found = await app.groups.permissions(groupId).catch(() => null);
    if (!found || own !== newest) return;
    ended.set(convOfGroup(groupId), found.timed_out_until ?? 0);
    endsAt(found.timed_out_until ?? 0);
    onChange();
  }

  function endsAt(/** @type {number} */ at) {
    until = at;
    clearTimeout(timer);
    const left = at * 1000 - Date.now();
    if (left > 0) timer = setTimeout(onChange, Math.min(left, LONGEST_MS));
  }

  const ignore = app.onEvent((_, { conv, type, data }) => {
    if (!type.startsWith("timeout.") || data.user_id !== app.state.get().snapshot?.user.id) return;
    ended.set(conv, data.until ?? 0);
    if (conv !== convOfGroup(groupId)) return;
    endsAt(data.until ?? 0);
    onChange();
  });

  return {
    node,
    /** Shows the bar if the user is timed out in a group; returns whether they are. */
    show(
      /** @type {import("../sync/types.js").Group | undefined} */ group,
      /** @type {import("../sync/state.js").State} */ state,
    ) {
      const id = group ? homeId(group) : "";
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live" && hasBeenLive;
      connection = state.connection;
      hasBeenLive ||= connection === "live";
      if (id !== groupId) {
        groupId = id;
        newest += 1;
        endsAt(ended.get(convOfGroup(id)) ?? group?.timed_out_until ?? 0);
      } else if (id && isBack) load();
      const isShut = until * 1000 > Date.now();
      node.hidden = !isShut;
      if (isShut) {
        setText(
          words,
          t("An admin timed you out: you can read, but not write, until {time}.", { time: exactTime(until) }),
        );
      }
      return isShut;
    },
    leave() {
      newest += 1;
      clearTimeout(timer);
      ignore();
    },
  };
}
