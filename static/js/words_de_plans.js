/** German words of notifications, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_PLANS = {
  "Asking the server…": "Fragt den Server …",
  "Every message": "Über jede Nachricht",
  "For a day": "Für einen Tag",
  "For an hour": "Für eine Stunde",
  "For eight hours": "Für acht Stunden",
  "Mute everything": "Alles stummschalten",
  "Mute this group": "Diese Gruppe stummschalten",
  "Muted until you unmute it.": "Stumm, bis du es aufhebst.",
  "Muted until {time}.": "Stumm bis {time}.",
  Nothing: "Über nichts",
  "Notify me of": "Benachrichtige mich",
  "Until I unmute": "Bis ich es aufhebe",
  "What I am told of": "Worüber ich benachrichtigt werde",
  "What mentions or answers me": "Über das, was mich erwähnt oder mir antwortet",
};
