/**
 * The menu of a conversation in the list: pinning, folders, and what can be done without opening it.
 *
 * Owns which actions a conversation has.
 */

import { isChatMuted } from "../chats/chats.js";
import { fullNameOf } from "../conversation/naming.js";
import { isMuted } from "../groups/groups.js";
import { noticeCalls } from "../notices/notice_calls.js";
import { isUnread } from "../sync/log.js";
import { reasonOf } from "../text/reason.js";
import { isTopic, isTopicMuted } from "../topics/topics.js";
import { h } from "../ui/dom.js";
import { openMenu } from "../ui/menu_dialog.js";
import { t } from "../words/words.js";
import { pinBeside, pinOf, withPin, withPinMoved } from "./conversation_list.js";
import { openConversationFolders } from "./folders.js";
import { listView } from "./list_view.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../ui/menu_dialog.js").Action} Action */

export function openConversationMenu(
  /** @type {App} */ app,
  /** @type {string} */ conv,
  /** @type {import("../ui/menu_dialog.js").Spot} */ at,
) {
  const { snapshot } = app.state.get();
  const conversation = snapshot?.conversations[conv];
  if (!snapshot || !conversation) return null;
  return openMenu(
    {
      label: t("Conversation actions"),
      head: () =>
        h("p", { class: "quote menu-message" }, h("bdi", { class: "quote-name" }, fullNameOf(conversation))),
      actions: isTopic(conversation)
        ? topicActions(app, conversation)
        : [...pinActions(app, snapshot, conv), ...otherActions(app, conversation, snapshot.user.id)],
    },
    at,
  );
}

/** @returns {Action[]} */
function pinActions(
  /** @type {App} */ app,
  /** @type {import("../sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ conv,
) {
  const { list, all } = listView(snapshot, "");
  if (pinOf(list, conv) === 0)
    return [{ kind: "pin", label: t("Pin"), sign: "pin", act: () => arranges(app, withPin(conv, true)) }];
  const move = (/** @type {-1 | 1} */ by, /** @type {string} */ label) => {
    const other = pinBeside(all, list, conv, by);
    const act = () => arranges(app, withPinMoved(conv, by, other?.conv ?? ""));
    return other
      ? [/** @type {Action} */ ({ kind: "move", label, sign: by < 0 ? "before" : "after", act })]
      : [];
  };
  return [
    { kind: "pin", label: t("Unpin"), sign: "pin", act: () => arranges(app, withPin(conv, false)) },
    ...move(-1, t("Move up")),
    ...move(1, t("Move down")),
  ];
}

/** @returns {Action[]} */
function otherActions(
  /** @type {App} */ app,
  /** @type {Conversation} */ conversation,
  /** @type {string} */ me,
) {
  const { conv, group } = conversation;
  const isQuiet = group ? isMuted(group, me) : isChatMuted(conversation, Date.now() / 1000);
  const mute = () =>
    group
      ? app.groups.mute(group.id, !isQuiet)
      : noticeCalls(app.api.rest).muteChat(conv.slice(2), isQuiet ? 0 : null);
  return [
    {
      kind: "folders",
      label: t("Folders…"),
      sign: "folder",
      act: () => openConversationFolders(app, conv),
    },
    ...readActions(app, conversation),
    muteAction(app, isQuiet, mute),
  ];
}

/** The actions of a topic, which stands in the list where its group does. @returns {Action[]} */
function topicActions(
  /** @type {App} */ app,
  /** @type {import("../topics/topics.js").TopicConversation} */ conversation,
) {
  const { group } = conversation;
  const isQuiet = isTopicMuted(group, Date.now() / 1000);
  const mute = () => app.topics.mute(group, isQuiet ? "over" : null);
  return [...readActions(app, conversation), muteAction(app, isQuiet, mute)];
}

/** @returns {Action[]} */
const readActions = (/** @type {App} */ app, /** @type {Conversation} */ conversation) =>
  isUnread(conversation)
    ? [
        {
          kind: "read",
          label: t("Mark as read"),
          sign: "check",
          act: () => reads(app, conversation.conv),
        },
      ]
    : [];

/** @returns {Action} */
const muteAction = (
  /** @type {App} */ app,
  /** @type {boolean} */ isQuiet,
  /** @type {() => Promise<unknown>} */ mute,
) => ({
  kind: "mute",
  label: isQuiet ? t("Unmute") : t("Mute"),
  sign: isQuiet ? "bell" : "muted",
  act: () => tries(app, mute),
});

/** Changes the list, and says so if the server does not take the change. */
const arranges = (
  /** @type {App} */ app,
  /** @type {import("./conversation_list.js").ListChange} */ change,
) => tries(app, () => app.arrange(change));

/** A mark needs the feed: without one, it would be lost. */
function reads(/** @type {App} */ app, /** @type {string} */ conv) {
  if (app.state.get().connection === "live") app.read(conv);
  else complains(app, t("The server cannot be reached. Check your connection."));
}

async function tries(/** @type {App} */ app, /** @type {() => Promise<unknown>} */ act) {
  try {
    await act();
  } catch (error) {
    complains(app, reasonOf(error));
  }
}

const complains = (/** @type {App} */ app, /** @type {string} */ why) =>
  app.complain(t("Nothing was changed. {it}", { it: why }));
