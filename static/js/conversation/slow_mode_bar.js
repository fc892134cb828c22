/**
 * The line below the composer that says when the user may post again while slow mode is on.
 *
 * Counts the user's own messages that are stored. Posts of the user's bots count on the server only; the outbox
 * waits for those as the server asks.
 */

import { lengthInWords } from "../files/files.js";
import { isAdmin } from "../groups/groups.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** When the user may post again, in Unix time in seconds; 0 if they need not wait. */
export function postsAgainAt(
  /** @type {Pick<Conversation, "group" | "messages"> | null} */ conversation,
  /** @type {string} */ me,
) {
  const group = conversation?.group;
  const pause = group?.slow_mode ?? 0;
  if (!group || !conversation || pause === 0 || isAdmin(group, me)) return 0;
  const last = conversation.messages.findLast(
    (one) => one.event?.type === "group.slow_mode_change" || (one.user_id === me && !one.system),
  );
  return last && last.event?.type !== "group.slow_mode_change" ? last.created_at + pause : 0;
}

export function createSlowModeBar() {
  const node = h("p", { class: "slow-mode-bar", hidden: true });
  let until = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  function draw() {
    const left = Math.ceil(until - Date.now() / 1000);
    node.hidden = left <= 0;
    if (left > 0) {
      setText(node, t("Slow mode: you can post again in {time}.", { time: lengthInWords(left) }));
      timer ??= setInterval(draw, 1000);
    } else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    node,
    show(/** @type {Conversation | null} */ conversation, /** @type {string} */ me) {
      until = postsAgainAt(conversation, me);
      draw();
    },
    leave() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
