/**
 * German: the words about bans, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_MODERATION = {
  "1 day": "1 Tag",
  "1 week": "1 Woche",
  "30 days": "30 Tage",
  Banned: "Gesperrt",
  "Delete those of the last day": "Die vom letzten Tag löschen",
  "Delete those of the last hour": "Die der letzten Stunde löschen",
  "Delete those of the last week": "Die der letzten Woche löschen",
  "How long": "Wie lange",
  "Keep them": "Behalten",
  "Lift the ban": "Sperre aufheben",
  "Lift the ban of {name}": "Sperre von {name} aufheben",
  "Messages of {name}": "Nachrichten von {name}",
  "Reason (optional)": "Grund (freiwillig)",
  "Remove and ban": "Entfernen und sperren",
  "Remove and ban {name}?": "{name} entfernen und sperren?",
  "Remove and ban…": "Entfernen und sperren …",
  "The owner, admins and {name} can see it.": "Eigentümer, Admins und {name} können ihn sehen.",
  "Until somebody lifts the ban": "Bis jemand die Sperre aufhebt",
  "Until {time}": "Bis {time}",
};
