/**
 * Mentions and replies: who is mentioned in a text, and which message it answers.
 *
 * Pure. Places are counted in Unicode code points, as the server counts them.
 */

import { hasBeginning, plain, UNSPACED } from "../search/finding.js";

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** A user's id and name. @typedef {readonly [id: string, name: string]} Named */

/** Everybody in a group: the id of the server's mention, and the word that people write. @type {Named} */
export const EVERYBODY = ["all", "everyone"];

/**
 * @typedef {{ text: string, users: readonly string[] }} Piece `users` are mentioned by the text; empty for plain text
 */

/**
 * Splits a text into mentions and the text between them. Mentions that overlap or lie outside the text are
 * ignored.
 * @returns {Piece[]}
 */
export function splitMentions(/** @type {string} */ text, /** @type {readonly Attachment[]} */ attachments) {
  const chars = [...text];
  const pieces = [];
  let from = 0;
  for (const { start, end, users } of placesIn(attachments)) {
    if (start < from || end <= start || end > chars.length) continue;
    if (start > from) pieces.push({ text: chars.slice(from, start).join(""), users: [] });
    pieces.push({ text: chars.slice(start, end).join(""), users });
    from = end;
  }
  if (from < chars.length) pieces.push({ text: chars.slice(from).join(""), users: [] });
  return pieces;
}

function placesIn(/** @type {readonly Attachment[]} */ attachments) {
  const places = mentionsOf(attachments).flatMap(({ users, loci }) =>
    loci.map(([start, length], at) => ({ start, end: start + length, users: users.slice(at, at + 1) })),
  );
  return places.sort((one, other) => one.start - other.start);
}

function mentionsOf(/** @type {readonly Attachment[]} */ attachments) {
  const mentions = attachments.filter(({ type }) => type === "mentions");
  return mentions.map(({ user_ids: ids, loci }) => ({
    users: /** @type {string[]} */ (ids ?? []),
    loci: /** @type {[number, number][]} */ (loci ?? []),
  }));
}

/** Whether a message mentions the user, or replies to them. */
export function isFor(/** @type {readonly Attachment[]} */ attachments, /** @type {string} */ user) {
  const isNamed = mentionsOf(attachments).some(({ users }) => users.includes(user) || users.includes("all"));
  return isNamed || attachments.some(({ type, user_id: whom }) => type === "reply" && whom === user);
}

/**
 * The message to which these attachments reply, or null.
 * @returns {{ id: string, author: string | null } | null}
 */
export function answeredBy(/** @type {readonly Attachment[]} */ attachments) {
  const reply = attachments.find(({ type }) => type === "reply");
  if (typeof reply?.reply_id !== "string") return null;
  return { id: reply.reply_id, author: typeof reply.user_id === "string" ? reply.user_id : null };
}

/** The attachment of a reply to a message. @returns {Attachment} */
export const replyTo = (/** @type {string} */ id) => ({ type: "reply", reply_id: id, base_reply_id: id });

/**
 * What may follow the name in a mention: the end of the text, no letter and no digit, or a letter of a script
 * without spaces, as in "@Benさん".
 */
const AFTER = new RegExp(`^(?:$|[^\\p{L}\\p{N}]|${UNSPACED.source})`, "u");

const BEGUN = new RegExp(`(?:^|[^\\p{L}\\p{N}@]|${UNSPACED.source})([@＠](?:[^\\s@][^\\n@]{0,40})?)$`, "u");

/**
 * The attachment for all names that follow an `@`, or null. Of two names that match, the longer one wins.
 * @returns {Attachment | null}
 */
export function mentionIn(
  /** @type {string} */ text,
  /** @type {Iterable<readonly [string, string]>} */ names,
) {
  const people = [...names].sort(([, one], [, other]) => other.length - one.length);
  const ids = [];
  const loci = [];
  for (const { index } of text.matchAll(/@/g)) {
    const rest = text.slice(index + 1);
    const named = people.find(
      ([, name]) => name !== "" && rest.startsWith(name) && AFTER.test(rest.slice(name.length)),
    );
    if (!named) continue;
    ids.push(named[0]);
    loci.push([[...text.slice(0, index)].length, [...named[1]].length + 1]);
  }
  return ids.length === 0 ? null : { type: "mentions", user_ids: ids, loci };
}

/** The unfinished mention at the end of a text, its `@` included (full-width too), or null. */
export const beginsMention = (/** @type {string} */ before) => BEGUN.exec(before)?.[1] ?? null;

/**
 * The people to offer for an unfinished mention: first those whose names begin with it, then those of whom
 * another word of the name does. Text that ends with a space must be a whole beginning of a name, so that
 * nobody is offered once a name is followed by other words.
 * @returns {Named[]}
 */
export function mentionable(/** @type {Iterable<Named>} */ names, /** @type {string} */ begun) {
  const wanted = plain(begun) + (/\s$/.test(begun) ? " " : "");
  /** @type {Named[]} */
  const first = [];
  /** @type {Named[]} */
  const further = [];
  for (const one of names) {
    const name = plain(one[1]);
    if (name === "") continue;
    if (name.startsWith(wanted)) first.push(one);
    else if (hasBeginning(name, wanted)) further.push(one);
  }
  return [...first, ...further];
}
