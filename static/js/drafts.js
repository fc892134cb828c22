/**
 * What is written and attached, and not sent: kept here at once, and on the other devices soon.
 *
 * Owns the draft of each conversation as this page has it, and beside it what the server is
 * known to have. Where both are the same, what is heard from another device is taken; where
 * something was written here that the server does not have, it stays. So nothing that
 * somebody writes is lost, whichever device they take up next.
 */

import { countChars, MAX_TEXT } from "./text.js";

/** So long nobody may write before the others hear of it. */
const PAUSE_MS = 1_000;
/** Whoever wrote here so recently is not done, and their words are not exchanged. */
const THINKING_MS = 10_000;
/** @type {Content} */
const NOTHING = { text: "", attachments: [] };

/** @typedef {import("./types.js").Attachment} Attachment */
/** @typedef {{ text: string, attachments: Attachment[] }} Content words, and what is attached */
/** @typedef {{ conversation_id: string } & Content} Draft */

/** @type {(draft: { conversation_id: string }) => string} */
const convOf = ({ conversation_id: id }) => `${id.includes("+") ? "d" : "g"}:${id}`;
/** With lines as a field has them, and what can be sent as it is. @type {(draft: Content) => Content} */
const contentOf = ({ text, attachments }) => ({
  text: text.replace(/\r\n?/g, "\n"),
  attachments: attachments.filter((it) => signOf(it) !== undefined),
});

/** Names what was uploaded, however it is told about. @type {(attachment: Attachment) => unknown} */
export const signOf = (attachment) => attachment.file_id ?? attachment.url;
/** @type {(content: Content) => string} */
const signsOf = ({ text, attachments }) => JSON.stringify([text, attachments.map(signOf)]);
/** @type {(one: Content, other: Content) => boolean} */
const same = (one, other) => signsOf(one) === signsOf(other);
/** @type {(content: Content) => boolean} */
const isEmpty = ({ text, attachments }) => text === "" && attachments.length === 0;
/** Whether somebody went on with what there was. @type {(before: Content, after: Content) => boolean} */
function isMore(before, after) {
  const signs = after.attachments.map(signOf);
  return after.text.startsWith(before.text) && before.attachments.every((it) => signs.includes(signOf(it)));
}

/**
 * @typedef {object} One
 * @property {Content} here what stands in the field, and beside it
 * @property {Content} there what the server has, as far as is known
 * @property {number} typedAt when somebody wrote here last; in milliseconds
 * @property {Content[]} told said to the server, and not heard back, in this order
 * @property {boolean} isUnsaid written here, and still to be said
 * @property {boolean} isTelling
 */

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "drafts" | "keepDraft">} parts.api
 * @param {Pick<import("./kept.js").Kept, "draft" | "keepDraft" | "drafts">} parts.kept
 * @param {() => string} parts.me
 * @param {() => void} parts.onHeard something is to be shown that was written elsewhere
 * @param {(run: () => void, ms: number) => any} [parts.later]
 * @param {() => number} [parts.now]
 */
export function createDrafts({ api, kept, me, onHeard, later = setTimeout, now = () => Date.now() }) {
  /** @type {Map<string, One>} */
  const all = new Map();
  /** Told by events since the list was asked for. @type {Set<string>} */
  const news = new Set();

  /** @returns {One} */
  function at(/** @type {string} */ conv) {
    const known = all.get(conv);
    if (known) return known;
    const state = { typedAt: -Infinity, told: [], isUnsaid: false, isTelling: false };
    const one = { ...kept.draft(me(), conv), ...state };
    all.set(conv, one);
    return one;
  }

  function change(/** @type {string} */ conv, /** @type {Partial<One>} */ facts) {
    const one = Object.assign(at(conv), facts);
    kept.keepDraft(me(), conv, one);
  }

  /** Says what is written here, one after the other; what cannot be said waits for a line. */
  async function tell(/** @type {string} */ conv) {
    const one = at(conv);
    const said = one.here;
    if (!one.isUnsaid || one.isTelling || countChars(said.text) > MAX_TEXT) return;
    one.isTelling = true;
    one.isUnsaid = false;
    if (!same(said, one.told.at(-1) ?? one.there)) {
      one.told.push(said);
      await api.keepDraft(conv.slice(2), said).catch(() => {
        one.told = one.told.filter((it) => it !== said);
        one.isUnsaid = true;
      });
    }
    one.isTelling = false;
    // Something else was written meanwhile.
    if (all.get(conv) === one && !same(one.here, said)) tell(conv);
  }

  function hear(/** @type {string} */ conv, /** @type {Content} */ content) {
    const one = at(conv);
    if (one.told.length > 0) {
      // What was said here follows in the log, so that it is what remains.
      one.told = one.told.slice(one.told.findIndex((said) => same(said, content)) + 1);
      change(conv, { there: content });
      return;
    }
    const isKnown = same(one.here, one.there);
    const isNews = isKnown && now() - one.typedAt >= THINKING_MS;
    // Sent, or gone on with: nothing of what stands here is lost.
    const isFurther = isKnown && (isEmpty(content) || isMore(one.here, content));
    const isTaken = isNews || isFurther;
    // What stays here is not said either, before somebody goes on with it.
    change(conv, isTaken ? { here: content, there: content } : { there: content, isUnsaid: false });
    if (isTaken) onHeard();
  }

  function set(/** @type {string} */ conv, /** @type {Content} */ content) {
    change(conv, { here: content, typedAt: isEmpty(content) ? -Infinity : now(), isUnsaid: true });
    const one = at(conv);
    const isPause = () => all.get(conv) === one && now() - one.typedAt >= PAUSE_MS;
    if (isEmpty(content)) tell(conv);
    else later(() => isPause() && tell(conv), PAUSE_MS);
  }

  return {
    get: (/** @type {string} */ conv) => at(conv).here.text,
    attached: (/** @type {string} */ conv) => at(conv).here.attachments,

    /** Somebody wrote this. */
    set: (/** @type {string} */ conv, /** @type {string} */ text) =>
      set(conv, { text, attachments: at(conv).here.attachments }),

    /** Somebody attached these, and what was attached before is no more. */
    attach(/** @type {string} */ conv, /** @type {Attachment[]} */ attachments) {
      const { here } = at(conv);
      if (!same(here, { ...here, attachments })) set(conv, { text: here.text, attachments });
    },

    /** It is sent. */
    end: (/** @type {string} */ conv) => set(conv, NOTHING),

    /** Another device of mine keeps this, or it is what this one said. */
    heard(/** @type {Draft} */ draft) {
      const conv = convOf(draft);
      news.add(conv);
      hear(conv, contentOf(draft));
    },

    /**
     * Everything is known anew: what the server has, which may be known already, and what
     * was written here without it.
     * @param {Draft[]} [known]
     */
    async refresh(known) {
      news.clear();
      for (const one of all.values()) one.told = [];
      /** @type {Draft[] | null} */
      const found = known ?? (await api.drafts().catch(() => null));
      if (!found) return;
      const there = new Map(found.map((draft) => [convOf(draft), contentOf(draft)]));
      for (const conv of new Set([...there.keys(), ...all.keys(), ...kept.drafts(me())])) {
        if (news.has(conv)) continue;
        const content = there.get(conv) ?? NOTHING;
        const one = at(conv);
        // Written without a line, and nothing new there: it goes out now.
        const isWaiting = same(one.there, content) && !same(one.here, content);
        hear(conv, content);
        one.isUnsaid ||= isWaiting;
        tell(conv);
      }
    },

    /** There is a line again. */
    resume() {
      for (const conv of all.keys()) tell(conv);
    },

    /** Nobody is signed in any more. */
    forget: () => all.clear(),
  };
}

/** @typedef {ReturnType<typeof createDrafts>} Drafts */
