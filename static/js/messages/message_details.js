/** The window with the details of a message: when it was sent, who reacted with what, who has read it. */

import { namesIn } from "../conversation/naming.js";
import { avatar } from "../people/avatar.js";
import { HEART, signsOf } from "../reactions/likes.js";
import { find } from "../sync/messages.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { openDialog } from "../ui/dialog.js";
import { fillWith, h } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {{ user_id: string, read_at: number }} Reader */

export function openMessageDetails(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Conversation} */ conversation,
  /** @type {string} */ id,
) {
  const message = find(conversation.messages, id);
  if (!message) return;
  const me = app.state.get().snapshot?.user.id ?? "";
  const people = peopleOf(conversation, me);
  const place = h("div", { class: "details-readers" }, h("p", { class: "quiet" }, t("Loading…")));
  openDialog({
    title: t("About this message"),
    content: () => [
      h(
        "div",
        { class: "dialog-form" },
        h("dl", { class: "details-times" }, ...times(message)),
        ...reactions(message, me, people),
        conversation.group && h("section", { "aria-label": t("Read by") }, h("h3", {}, t("Read by")), place),
      ),
    ],
  });
  if (conversation.group) show(app.readBy(conversation.group.id, id), place, people);
}

async function show(
  /** @type {Promise<Reader[]>} */ asking,
  /** @type {HTMLElement} */ place,
  /** @type {ReturnType<typeof peopleOf>} */ people,
) {
  try {
    const readers = await asking;
    const row = (/** @type {Reader} */ { user_id: id, read_at: at }) => person(people(id), when(at));
    if (readers.length > 0) fillWith(place, h("ul", { class: "details-people" }, ...readers.map(row)));
    else fillWith(place, h("p", { class: "quiet" }, t("Nobody yet.")));
  } catch (error) {
    const why = reasonOf(error);
    fillWith(place, h("p", { class: "alert", role: "alert" }, why));
  }
}

/** Returns a function that finds a person by id; somebody who has left the conversation is "Someone". */
function peopleOf(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
  const names = namesIn(conversation);
  const pictures = new Map(conversation.group?.members?.map((one) => [one.user_id, one.image_url]));
  return (/** @type {string} */ id) => ({
    id,
    name: names.get(id) ?? t("Someone"),
    called: id === me ? t("You") : (names.get(id) ?? t("Someone")),
    imageUrl: pictures.get(id) ?? (conversation.other?.id === id ? conversation.other.imageUrl : null),
  });
}

function times(/** @type {Message} */ { created_at: sent, edited_at: edited }) {
  const line = (/** @type {string} */ what, /** @type {number} */ at) => [
    h("dt", {}, what),
    h("dd", {}, h("time", { datetime: isoTime(at) }, fullTime(at))),
  ];
  return [...line(t("Sent"), sent), ...(edited !== undefined ? line(t("Edited"), edited) : [])];
}

function reactions(
  /** @type {Message} */ message,
  /** @type {string} */ me,
  /** @type {ReturnType<typeof peopleOf>} */ people,
) {
  const signs = signsOf(message, undefined, me);
  const hasSign = (/** @type {string} */ id) => signs.some(({ ids }) => ids.includes(id));
  const hearts = message.favorited_by.filter((id) => !hasSign(id));
  const all = [...(hearts.length > 0 ? [{ code: HEART, ids: hearts }] : []), ...signs];
  if (all.length === 0) return [];
  const rows = all.flatMap(({ code, ids }) => ids.map((id) => person(people(id), code)));
  return [
    h(
      "section",
      { "aria-label": t("Reactions") },
      h("h3", {}, t("Reactions")),
      h("ul", { class: "details-people" }, ...rows),
    ),
  ];
}

const when = (/** @type {number} */ at) =>
  h("time", { class: "quiet", datetime: isoTime(at), title: fullTime(at) }, shortTime(at, Date.now() / 1000));

const person = (
  /** @type {import("../sync/types.js").Person & { called: string }} */ { called, ...who },
  /** @type {Node | string} */ beside,
) => h("li", {}, avatar({ ...who, size: "small" }), h("bdi", { class: "details-name" }, called), beside);
