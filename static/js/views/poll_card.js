/** The card of a poll, in its window and in its message: its options, the votes so far, and its end. */

import { h } from "../dom.js";
import { fullTime } from "../time.js";
import { inRow, t } from "../words.js";

/** @typedef {import("../poll_calls.js").Poll} Poll */
/**
 * @typedef {object} PollAround the user, the members' names, and the acts that the card's controls call
 * @property {(poll: Poll, votes: string[]) => void} vote
 * @property {(poll: Poll) => void} end
 * @property {string} me the user's id
 * @property {boolean} admin whether the user may end others' polls
 * @property {ReadonlyMap<string, string>} names by user id
 * @property {string} place makes the inputs' names differ from those of another card of the same poll
 */

/** Makes the card of a poll. */
export function pollCard(/** @type {Poll} */ poll, /** @type {PollAround} */ around) {
  const { data } = poll;
  const isOpen = data.status === "active";
  const mayEnd = isOpen && (around.admin || data.owner_id === around.me);
  const until = fullTime(data.expiration);
  return h(
    "div",
    { class: "poll" },
    h(
      "fieldset",
      { class: "choices", disabled: !isOpen },
      h("legend", { dir: "auto" }, data.subject),
      ...data.options.map((option) => answer(poll, option, around)),
    ),
    h(
      "p",
      { class: "quiet" },
      isOpen ? t("Open until {until}.", { until }) : t("Ended."),
      " ",
      data.visibility === "anonymous" ? t("Votes are anonymous.") : "",
    ),
    mayEnd &&
      h(
        "button",
        { class: "button-link", type: "button", onclick: () => around.end(poll) },
        t("End this poll"),
      ),
  );
}

function answer(
  /** @type {Poll} */ poll,
  /** @type {Poll["data"]["options"][number]} */ { id, title, votes = 0, voter_ids: voters = [] },
  /** @type {PollAround} */ around,
) {
  const own = poll.user_votes ?? [];
  const isSingle = poll.data.type === "single";
  const onchange = (/** @type {Event} */ event) => {
    const isChosen = /** @type {HTMLInputElement} */ (event.target).checked;
    const others = isSingle ? [] : own.filter((one) => one !== id);
    around.vote(poll, isChosen ? [...others, id] : others);
  };
  const input = h("input", {
    type: isSingle ? "radio" : "checkbox",
    name: `${around.place}-${poll.data.id}`,
    checked: own.includes(id),
    onchange,
  });
  const who = inRow(voters.map((voter) => around.names.get(voter) ?? t("Former member")));
  const count = votes === 1 ? t("1 vote") : t("{count} votes", { count: votes });
  return h(
    "label",
    { class: "choice" },
    input,
    h("span", { dir: "auto" }, title),
    h("span", { class: "quiet", title: who }, who ? `${count}: ${who}` : count),
  );
}
