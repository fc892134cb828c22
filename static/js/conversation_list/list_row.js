/**
 * One row of the list of conversations: its name and picture, the last message, and the unread count.
 *
 * `summary` returns everything that a row shows, `listRow` draws it.
 */

import { convOf } from "../app/route.js";
import { isChatMuted } from "../chats/chats.js";
import { fullNameOf, nameOf, pictureOf } from "../conversation/naming.js";
import { typingWords } from "../conversation/typing.js";
import { hrefFrom } from "../details/beside.js";
import { isMuted } from "../groups/groups.js";
import { avatar } from "../people/avatar.js";
import { isPresent } from "../people/presence.js";
import { isUnread, newest, unreadMentions } from "../sync/log.js";
import { lastActivity } from "../sync/store.js";
import { oneLine } from "../text/one_line.js";
import { isoTime, shortTime } from "../text/time.js";
import { unreadIn } from "../topics/topics.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { ROW_MORE } from "./row_menu.js";

/** The class of the button that folds the topics of a group. */
export const ROW_FOLD = "row-fold";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/state.js").State} State */

/**
 * @typedef {object} Place how a row stands in the list
 * @property {number} [pin] its place among the pinned ones, 0 for none
 * @property {boolean} [hasMenu]
 * @property {boolean} [isNested] whether it is a topic that stands below its group
 * @property {readonly import("../topics/topics.js").TopicConversation[]} [topics] those of a group, which can be folded
 * @property {boolean} [isFolded] whether the topics are hidden, and counted in the row of their group
 */

/** Returns everything that a row shows; `now` is in seconds since 1970. */
export function summary(
  /** @type {Conversation} */ conversation,
  /** @type {State} */ state,
  /** @type {string} */ me,
  /** @type {number} */ now,
  /** @type {import("../composer/drafts.js").Content} */ draft,
  /** @type {Place} */ { pin = 0, hasMenu = false, isNested = false, topics = [], isFolded = false } = {},
) {
  const { conv, group, outbox } = conversation;
  const { route, typing } = state;
  const unsent = outbox.at(-1);
  const message = newest(conversation);
  const said = unsent ?? message;
  const open = convOf(route) === conv;
  const own = isUnread(conversation) && !open ? Math.max(1, conversation.unread) : 0;
  const hidden = isFolded ? unreadIn(topics, convOf(route)) : { unread: 0, mentions: 0 };
  const unread = own + hidden.unread;
  const isAside = open || unread > 0 || unsent !== undefined;
  return {
    conv,
    href: hrefFrom(route, conv),
    name: isNested ? nameOf(conversation) : fullNameOf(conversation),
    picture: pictureOf(conversation),
    at: isoTime(lastActivity(conversation)),
    time: shortTime(lastActivity(conversation), now),
    from: unsent ? t("You") : sender(message, me, Boolean(group)),
    preview: said ? oneLine(said) : t("No messages yet"),
    /** What is written and not sent; "" if there is nothing, or something else to see. */
    draft: isAside ? "" : oneLine(draft),
    typing: typingWords(conversation, typing),
    failed: unsent?.state === "failed",
    unread,
    mentions: (own > 0 ? unreadMentions(conversation) : 0) + hidden.mentions,
    online: isPresent(conversation, state),
    muted: group ? isMuted(group, me) : isChatMuted(conversation, now),
    open,
    pin,
    hasMenu,
    isNested,
    topics: topics.length,
    isFolded,
  };
}

/** @typedef {ReturnType<typeof summary>} Summary */

/** Returns the sender's name; "" for system messages, and for the other person in a chat. */
function sender(
  /** @type {Message | null} */ message,
  /** @type {string} */ me,
  /** @type {boolean} */ inGroup,
) {
  if (!message || message.system) return "";
  if (message.user_id === me) return t("You");
  return inGroup ? message.name : "";
}

/** @returns {import("../ui/dom.js").Row} */
export function listRow(/** @type {Summary} */ facts) {
  return { key: facts.conv, sign: JSON.stringify(facts), build: () => draw(facts) };
}

function draw(/** @type {Summary} */ facts) {
  const { href, name, picture, unread, open, online, muted, pin } = facts;
  return h(
    "li",
    { class: rowClass(facts) },
    h(
      "a",
      {
        class: unread > 0 ? "group group-unread" : "group",
        href,
        "aria-current": open && "page",
      },
      h("span", { class: "avatar-place" }, avatar(picture), online && h("span", { class: "present" })),
      h(
        "span",
        { class: "group-words" },
        h(
          "span",
          { class: "group-top" },
          h(
            "span",
            { class: "group-name" },
            h("bdi", { class: "ends" }, name),
            online && h("span", { class: "hidden" }, t(" (online)")),
          ),
          pin > 0 && icon("pin"),
          pin > 0 && h("span", { class: "hidden" }, t("Pinned ")),
          muted && icon("muted"),
          muted && h("span", { class: "hidden" }, t("Muted ")),
          h("time", { class: "group-time", datetime: facts.at }, facts.time),
        ),
        h("span", { class: "group-bottom" }, preview(facts), unread > 0 && badge(facts)),
      ),
    ),
    facts.topics > 0 && fold(facts),
    facts.hasMenu && more(name),
  );
}

/** @returns {string} */
const rowClass = (/** @type {Summary} */ { hasMenu, isNested, topics }) =>
  [hasMenu && "has-menu", isNested && "topic", topics > 0 && "has-topics"].filter(Boolean).join(" ");

/** The button that shows and hides the topics of a group; `group_list.js` hears it. */
function fold(/** @type {Summary} */ { name, isFolded }) {
  const label = t("Topics of {name}", { name });
  const facts = { class: `button-icon ${ROW_FOLD}`, type: "button", "aria-label": label, title: label };
  return h("button", { ...facts, "aria-expanded": String(!isFolded) }, icon(isFolded ? "after" : "before"));
}

/** The button that opens the menu; `row_menu.js` hears it. */
function more(/** @type {string} */ name) {
  const label = t("Actions for {name}", { name });
  return h(
    "button",
    { class: `button-icon ${ROW_MORE}`, type: "button", "aria-label": label, "aria-haspopup": "menu" },
    icon("more"),
  );
}

function preview(/** @type {Summary} */ { typing, draft, failed, from, preview: words }) {
  if (typing) return h("span", { class: "group-preview group-typing" }, h("span", { class: "ends" }, typing));
  if (draft) {
    return h(
      "span",
      { class: "group-preview" },
      h("span", { class: "group-draft" }, t("Draft: ")),
      h("bdi", { class: "ends" }, draft),
    );
  }
  return h(
    "span",
    { class: "group-preview" },
    failed && icon("warning"),
    failed && t("Not sent: "),
    from && !failed && h("span", { class: "group-from" }, author(from)),
    h("bdi", { class: "ends" }, words),
  );
}

const author = (/** @type {string} */ name) =>
  h("span", { class: "ends", dir: "auto" }, name, h("span", { class: "group-colon" }, ": "));

/** An unread count as it is shown, which ends at "99+". */
export const countWords = (/** @type {number} */ unread) => (unread > 99 ? "99+" : String(unread));

/** Makes the unread count, with a sign if a message mentions or answers the user. */
function badge(/** @type {Summary} */ { unread, mentions, muted }) {
  const shown = countWords(unread);
  const look = muted ? "unread unread-quiet" : "unread";
  return h(
    "span",
    { class: "unread-place" },
    mentions > 0 &&
      h(
        "span",
        { class: "unread unread-mention", title: t("You were mentioned") },
        h("span", { class: "hidden" }, t("You were mentioned"), " "),
        h("span", { "aria-hidden": "true" }, "@"),
      ),
    h("span", { class: look }, h("span", { class: "hidden" }, t("Unread: ")), shown),
  );
}
