/**
 * Drafts: text and attachments that are not sent yet, kept on this device at once and on the server soon
 * after, for the other devices.
 *
 * Owns each conversation's draft as this page has it (`here`), and beside it what the server is known to have
 * (`there`). Where both are the same, a newer draft of another device is taken over; where something was
 * written here that the server does not have, it stays. So nothing that somebody writes is lost, whichever
 * device they use next.
 */

import { convWithId } from "../chats/chats.js";
import { countChars, MAX_TEXT } from "../text/text.js";

/** How long a pause in writing must be before the draft is sent to the server. */
const PAUSE_MS = 1_000;
/**
 * For this long after something was written here, another device's draft replaces it only if nothing is lost.
 */
const THINKING_MS = 10_000;
/** @type {Content} */
const NOTHING = { text: "", attachments: [] };

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {{ text: string, attachments: Attachment[] }} Content */
/** @typedef {{ conversation_id: string } & Content} Draft */

/** @type {(draft: { conversation_id: string }) => string} */
const convOf = ({ conversation_id: id }) => convWithId(id);
/**
 * Content as a text field has it (`\n` only), without attachments that cannot be sent.
 * @type {(draft: Content) => Content}
 */
const contentOf = ({ text, attachments }) => ({
  text: text.replace(/\r\n?/g, "\n"),
  attachments: attachments.filter((it) => signOf(it) !== undefined),
});

/**
 * What identifies an uploaded attachment, whichever form it has.
 * @type {(attachment: Attachment) => unknown}
 */
export const signOf = (attachment) => attachment.file_id ?? attachment.url;
/** @type {(content: Content) => string} */
const signsOf = ({ text, attachments }) => JSON.stringify([text, attachments.map(signOf)]);
/** @type {(one: Content, other: Content) => boolean} */
export const isSameContent = (one, other) => signsOf(one) === signsOf(other);
/** @type {(content: Content) => boolean} */
export const isEmpty = ({ text, attachments }) => text === "" && attachments.length === 0;
/**
 * Whether `after` continues `before`, so that nothing is lost.
 * @type {(before: Content, after: Content) => boolean}
 */
function isMore(before, after) {
  const signs = after.attachments.map(signOf);
  return after.text.startsWith(before.text) && before.attachments.every((it) => signs.includes(signOf(it)));
}

/**
 * @typedef {object} One
 * @property {Content} here the draft in the field of this page
 * @property {Content} there what the server is known to have
 * @property {number} typedAt when something was written here last; in milliseconds
 * @property {Content[]} told sent to the server and not come back as events yet, oldest first
 * @property {boolean} isUnsaid written here and still to be sent to the server
 * @property {boolean} isTelling whether `tell` is running
 */

/**
 * @param {object} parts
 * @param {Pick<import("../sync/api.js").Api, "drafts" | "keepDraft">} parts.api
 * @param {Pick<import("../device/kept.js").Kept, "draft" | "keepDraft" | "drafts">} parts.kept
 * @param {() => string} parts.me
 * @param {() => void} parts.onHeard called when the draft of another device was taken over
 * @param {(run: () => void, ms: number) => any} [parts.later]
 * @param {() => number} [parts.now]
 */
export function createDrafts({ api, kept, me, onHeard, later = setTimeout, now = () => Date.now() }) {
  /** @type {Map<string, One>} */
  const all = new Map();
  /** Conversations with a draft event since `refresh` asked for the list. @type {Set<string>} */
  const news = new Set();

  /** @returns {One} */
  function at(/** @type {string} */ conv) {
    const known = all.get(conv);
    if (known) return known;
    const state = { typedAt: -Infinity, told: [], isUnsaid: false, isTelling: false };
    const one = { ...kept.draft(me(), conv), ...state };
    // A field that is emptied while nobody is signed in must not replace the draft of the next one.
    if (me() !== "") all.set(conv, one);
    return one;
  }

  function change(/** @type {string} */ conv, /** @type {Partial<One>} */ facts) {
    const one = Object.assign(at(conv), facts);
    if (me() !== "") kept.keepDraft(me(), conv, one);
  }

  /**
   * Sends the draft to the server, one request at a time; a failed one is sent again when there is a
   * connection.
   */
  async function tell(/** @type {string} */ conv) {
    const one = at(conv);
    const said = one.here;
    if (!one.isUnsaid || one.isTelling || countChars(said.text) > MAX_TEXT) return;
    one.isTelling = true;
    one.isUnsaid = false;
    if (!isSameContent(said, one.told.at(-1) ?? one.there)) {
      one.told.push(said);
      await api.keepDraft(conv.slice(2), said).catch(() => {
        one.told = one.told.filter((it) => it !== said);
        one.isUnsaid = true;
      });
    }
    one.isTelling = false;
    // The draft was changed during the request.
    if (all.get(conv) === one && !isSameContent(one.here, said)) tell(conv);
  }

  function hear(/** @type {string} */ conv, /** @type {Content} */ content) {
    const one = at(conv);
    if (one.told.length > 0) {
      // Drafts sent from here still have to come back as events, so this one is not newer than ours.
      one.told = one.told.slice(one.told.findIndex((said) => isSameContent(said, content)) + 1);
      change(conv, { there: content });
      return;
    }
    const isKnown = isSameContent(one.here, one.there);
    const isNews = isKnown && now() - one.typedAt >= THINKING_MS;
    // The draft was sent elsewhere, or continues ours: taking it over loses nothing.
    const isFurther = isKnown && (isEmpty(content) || isMore(one.here, content));
    const isTaken = isNews || isFurther;
    // If ours stays, it is not sent to the server either until somebody continues writing.
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
    content: (/** @type {string} */ conv) => at(conv).here,
    get: (/** @type {string} */ conv) => at(conv).here.text,
    attached: (/** @type {string} */ conv) => at(conv).here.attachments,

    /** Sets the text that somebody wrote. */
    set: (/** @type {string} */ conv, /** @type {string} */ text) =>
      set(conv, { text, attachments: at(conv).here.attachments }),

    /** Replaces the attachments. */
    attach(/** @type {string} */ conv, /** @type {Attachment[]} */ attachments) {
      const { here } = at(conv);
      if (!isSameContent(here, { ...here, attachments })) set(conv, { text: here.text, attachments });
    },

    /** Empties the draft, since its message is sent. */
    end: (/** @type {string} */ conv) => set(conv, NOTHING),

    /** Takes a draft event, of another device or of this one. */
    heard(/** @type {Draft} */ draft) {
      const conv = convOf(draft);
      news.add(conv);
      hear(conv, contentOf(draft));
    },

    /**
     * Compares all drafts with those of the server, after a new snapshot, and sends what was written here
     * meanwhile.
     * @param {Draft[]} [known] the server's drafts; loaded if not given
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
        // Written without a connection, and unchanged at the server: sent now.
        const isWaiting = isSameContent(one.there, content) && !isSameContent(one.here, content);
        hear(conv, content);
        one.isUnsaid ||= isWaiting;
        tell(conv);
      }
    },

    /** Sends what waits, when there is a connection again. */
    resume() {
      for (const conv of all.keys()) tell(conv);
    },

    /** Forgets all drafts, when nobody is signed in any more. */
    forget: () => all.clear(),
  };
}

/** @typedef {ReturnType<typeof createDrafts>} Drafts */
