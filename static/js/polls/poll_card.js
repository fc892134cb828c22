/** The card of a poll, in its page and in its message: its options with their shares, and its end. */

import { avatarRow } from "../people/avatar_row.js";
import { fullTime } from "../text/time.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { inRow, locale, t } from "../words/words.js";
import { sharesOf } from "./poll_shares.js";

/** @typedef {import("./poll_calls.js").Poll} Poll */
/**
 * @typedef {object} PollAround the user, the members, and the acts that the card's controls call
 * @property {(poll: Poll, votes: string[]) => void} vote without votes, the user's vote is withdrawn
 * @property {(poll: Poll) => void} end
 * @property {string} me the user's id
 * @property {boolean} admin whether the user may end others' polls
 * @property {boolean} isShut whether nobody may vote or end a poll: the group is archived or frozen
 * @property {ReadonlyMap<string, string>} names by user id
 * @property {(id: string) => string | null | undefined} pictureOf
 * @property {string} place makes the inputs' names differ from those of another card of the same poll
 */

/** Makes the card of a poll. */
export function pollCard(/** @type {Poll} */ poll, /** @type {PollAround} */ around) {
  const { data, user_votes: own } = poll;
  const isOpen = data.status === "active";
  const isVotedOn = isOpen && !around.isShut;
  const mayEnd = isVotedOn && (around.admin || data.owner_id === around.me);
  const shares = sharesOf(poll);
  const act = (/** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h("button", { class: "button-link", type: "button", onclick }, words);
  return h(
    "div",
    { class: isOpen ? "poll" : "poll poll-ended" },
    h(
      "fieldset",
      { class: "choices", disabled: !isVotedOn },
      h("legend", { dir: "auto" }, data.subject),
      h("p", { class: "poll-kind quiet" }, kindOf(data)),
      ...data.options.map((option, at) => answer(poll, option, shares.shares[at], around)),
    ),
    h("p", { class: "quiet" }, h("span", {}, total(shares)), " · ", endOf(data)),
    h(
      "p",
      { class: "unsent-actions" },
      isVotedOn && Boolean(own?.length) && act(t("Withdraw my vote"), () => around.vote(poll, [])),
      mayEnd && act(t("End this poll"), () => around.end(poll)),
    ),
  );
}

/** How many answers the poll takes, and whether names are shown. */
function kindOf(/** @type {Poll["data"]} */ { type, visibility }) {
  const answers = type === "single" ? t("One answer") : t("Several answers");
  return visibility === "anonymous" ? `${answers} · ${t("Votes are anonymous.")}` : answers;
}

const endOf = (/** @type {Poll["data"]} */ { status, expiration }) =>
  status === "active" ? t("Open until {until}.", { until: fullTime(expiration) }) : t("Ended.");

function total(/** @type {import("./poll_shares.js").Shares} */ { voters, votes }) {
  if (votes === 0) return t("No votes yet");
  if (voters === null || voters === votes) return votesInWords(votes);
  return voters === 1 ? t("1 person voted") : t("{count} people voted", { count: voters });
}

const votesInWords = (/** @type {number} */ count) =>
  count === 1 ? t("1 vote") : t("{count} votes", { count });

const percentInWords = (/** @type {number} */ percent) =>
  new Intl.NumberFormat(locale, { style: "percent" }).format(percent / 100);

/** An option: what can be chosen, who has chosen it, and its share as a bar. */
function answer(
  /** @type {Poll} */ poll,
  /** @type {Poll["data"]["options"][number]} */ { id, title, votes = 0, voter_ids: voters = [] },
  /** @type {import("./poll_shares.js").Share} */ { percent, leads },
  /** @type {PollAround} */ around,
) {
  const own = poll.user_votes ?? [];
  const isOwn = own.includes(id);
  const isOpen = poll.data.status === "active";
  const isSingle = poll.data.type === "single";
  const onchange = (/** @type {Event} */ event) => {
    const isChosen = /** @type {HTMLInputElement} */ (event.target).checked;
    const others = isSingle ? [] : own.filter((one) => one !== id);
    around.vote(poll, isChosen ? [...others, id] : others);
  };
  const input = h("input", {
    type: isSingle ? "radio" : "checkbox",
    name: `${around.place}-${poll.data.id}`,
    checked: isOwn,
    onchange,
  });
  const who = inRow(voters.map((voter) => around.names.get(voter) ?? t("Former member")));
  const bar = h("span", { class: "poll-bar", "aria-hidden": "true" }, h("span", { class: "poll-share" }));
  bar.style.setProperty("--share", `${percent}%`);
  const counted = who ? `${votesInWords(votes)}: ${who}` : votesInWords(votes);
  return h(
    "label",
    { class: ["choice", "poll-choice", !isOpen && leads && "poll-lead"].filter(Boolean).join(" ") },
    input,
    h("span", { class: "poll-title", dir: "auto" }, title),
    h(
      "span",
      { class: "poll-votes", title: who || null },
      !isOpen && isOwn && icon("check"),
      avatarRow(voters, around),
      h("span", { class: "hidden" }, counted),
      h("span", { class: "poll-percent" }, percentInWords(percent)),
    ),
    bar,
  );
}
