/**
 * Whom a message is for: where people are mentioned in it, and what it answers.
 *
 * Pure. Places are counted in Unicode code points, as the server counts them.
 */

import { plain } from "./finding.js";

/** @typedef {import("./types.js").Attachment} Attachment */
/** Whose id, and what they are called. @typedef {readonly [id: string, name: string]} Named */

/** Everybody in a group, as the server names them and as people write it. @type {Named} */
export const EVERYBODY = ["all", "everyone"];

/** @typedef {{ text: string, users: readonly string[] }} Piece `users` are mentioned by it; most often none */

/** The text in pieces, mentions apart. Places that overlap or lie outside are passed over. @returns {Piece[]} */
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

/** Whether somebody is mentioned or answered. */
export function isFor(/** @type {readonly Attachment[]} */ attachments, /** @type {string} */ user) {
  const isNamed = mentionsOf(attachments).some(({ users }) => users.includes(user) || users.includes("all"));
  return isNamed || attachments.some(({ type, user_id: whom }) => type === "reply" && whom === user);
}

/** The message that is answered, or null. @returns {{ id: string, author: string | null } | null} */
export function answeredBy(/** @type {readonly Attachment[]} */ attachments) {
  const reply = attachments.find(({ type }) => type === "reply");
  if (typeof reply?.reply_id !== "string") return null;
  return { id: reply.reply_id, author: typeof reply.user_id === "string" ? reply.user_id : null };
}

/** What a message carries that answers another one. @returns {Attachment} */
export const replyTo = (/** @type {string} */ id) => ({ type: "reply", reply_id: id, base_reply_id: id });

/** What ends a name that is mentioned. */
const AFTER = /^(?:$|[^\p{L}\p{N}])/u;

/**
 * The mention of those whose names stand behind an `@`, or null. Of two names that begin alike
 * the longer one counts.
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

/** What is written of a mention at the end of a text, its `@` included, or null. */
export const beginsMention = (/** @type {string} */ before) =>
  /(?:^|[^\p{L}\p{N}@])(@(?:[^\s@][^\n@]{0,40})?)$/u.exec(before)?.[1] ?? null;

/**
 * Those whose names begin like this, or a word of whose names does: who is called so first.
 * Behind a space only the first counts, so that nobody is offered to whom a name is followed
 * by other words.
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
    else if (name.includes(` ${wanted}`)) further.push(one);
  }
  return [...first, ...further];
}
