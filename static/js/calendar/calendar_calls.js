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
 * @property {boolean} is_all_day whether only the dates count
 * @property {{ name: string } | null} location
 * @property {number[]} reminders seconds before it begins
 * @property {string[]} going user ids
 * @property {string[]} not_going user ids
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

/** `conversation` is a group's id, or `<user id>+<user id>`. */
export const calendarCalls = (/** @type {Calls} */ { get, post, remove, bytes }) => ({
  /** The events of a conversation, by the time at which they begin. @returns {Promise<CalendarEvent[]>} */
  events: async (/** @type {string} */ conversation) =>
    (await get(`${below(conversation, "list")}?limit=100`)).events,
  /** @returns {Promise<CalendarEvent>} */
  event: async (/** @type {string} */ conversation, /** @type {string} */ event) =>
    (await get(of(conversation, "show", event))).event,
  /** An iCalendar file of the event. */
  eventFile: (/** @type {string} */ conversation, /** @type {string} */ event) =>
    bytes(below(conversation, `${at(event)}.ics`)),
  planEvent: (/** @type {string} */ conversation, /** @type {EventForm} */ form) =>
    post(below(conversation, "create"), form),
  changeEvent: (
    /** @type {string} */ conversation,
    /** @type {string} */ event,
    /** @type {Partial<EventForm>} */ form,
  ) => post(of(conversation, "update", event), form),
  cancelEvent: (/** @type {string} */ conversation, /** @type {string} */ event) =>
    remove(of(conversation, "delete", event)),
  /** Answers whether I go; null takes my answer back. */
  answerEvent: (
    /** @type {string} */ conversation,
    /** @type {string} */ event,
    /** @type {boolean | null} */ going,
  ) =>
    going === null
      ? remove(of(conversation, "rsvp/delete", event))
      : post(`${of(conversation, "rsvp", event)}&going=${going}`, {}),
});
