/**
 * The REST calls of calendars.
 */

/**
 * @typedef {object} CalendarEvent
 * @property {string} event_id
 * @property {string} creator_id
 * @property {string} name
 * @property {string | null} description
 * @property {string} start_at
 * @property {string} end_at
 * @property {{ name: string } | null} location
 * @property {number[]} reminders seconds before it begins
 * @property {string[]} going
 * @property {string[]} not_going
 */
/**
 * @typedef {object} EventForm
 * @property {string} name
 * @property {string} description
 * @property {string} start_at
 * @property {string} end_at
 * @property {string} timezone
 * @property {{ name: string }} [location]
 * @property {number[]} reminders
 */
/**
 * @typedef {object} Calls
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body: object) => Promise<any>} post
 * @property {(path: string) => Promise<any>} remove
 * @property {(path: string) => Promise<Blob>} bytes
 */

const at = encodeURIComponent;
const below = (/** @type {string} */ conversation, /** @type {string} */ what) =>
  `/v3/conversations/${at(conversation)}/events/${what}`;
const of = (/** @type {string} */ conversation, /** @type {string} */ what, /** @type {string} */ event) =>
  `${below(conversation, what)}?event_id=${at(event)}`;

/** The conversation by its id: a group's, or `<user id>+<user id>`. */
export const calendarCalls = (/** @type {Calls} */ { get, post, remove, bytes }) => ({
  /** What begins first, first. @returns {Promise<CalendarEvent[]>} */
  events: async (/** @type {string} */ conversation) =>
    (await get(`${below(conversation, "list")}?limit=100`)).events,
  /** @returns {Promise<CalendarEvent>} */
  event: async (/** @type {string} */ conversation, /** @type {string} */ event) =>
    (await get(of(conversation, "show", event))).event,
  /** For the calendars of phones and computers. */
  eventFile: (/** @type {string} */ conversation, /** @type {string} */ event) =>
    bytes(below(conversation, `${at(event)}.ics`)),
  planEvent: (/** @type {string} */ conversation, /** @type {EventForm} */ form) =>
    post(below(conversation, "create"), form),
  changeEvent: (
    /** @type {string} */ conversation,
    /** @type {string} */ event,
    /** @type {EventForm} */ form,
  ) => post(of(conversation, "update", event), form),
  cancelEvent: (/** @type {string} */ conversation, /** @type {string} */ event) =>
    remove(of(conversation, "delete", event)),
  /** Null takes back what I said. */
  answerEvent: (
    /** @type {string} */ conversation,
    /** @type {string} */ event,
    /** @type {boolean | null} */ going,
  ) =>
    going === null
      ? remove(of(conversation, "rsvp/delete", event))
      : post(`${of(conversation, "rsvp", event)}&going=${going}`, {}),
});
