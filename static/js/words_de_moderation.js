/**
 * German: the words about bans and timeouts, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_MODERATION = {
  "1 day": "1 Tag",
  "1 week": "1 Woche",
  "30 days": "30 Tage",
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
  "1 hour": "1 Stunde",
  "10 minutes": "10 Minuten",
  "28 days": "28 Tage",
  "An admin timed you out: you can read, but not write, until {time}.":
    "Ein Admin hat dir eine Pause verhängt: Du kannst lesen, aber bis {time} nicht schreiben.",
  "Banned and timed out": "Gesperrt oder in Pause",
  "End the timeout": "Pause beenden",
  "End the timeout of {name}": "Pause von {name} beenden",
  "Time out": "Pause verhängen",
  "Time out {name}?": "Pause für {name} verhängen?",
  "Time out…": "Pause verhängen …",
  "Until then, {name} can read and leave, but not write or react.":
    "Bis dahin kann {name} lesen und die Gruppe verlassen, aber nicht schreiben oder reagieren.",
  Off: "Aus",
  "Slow mode": "Langsamer Modus",
  "How long members wait between two messages. It does not apply to the owner and admins.":
    "Wie lange Mitglieder zwischen zwei Nachrichten warten. Für Eigentümer und Admins gilt das nicht.",
  "Slow mode: you can post again in {time}.": "Langsamer Modus: In {time} kannst du wieder schreiben.",
  "{name} switched slow mode off.": "{name} hat den langsamen Modus ausgeschaltet.",
  "{name} set slow mode to {time}.": "{name} hat den langsamen Modus auf {time} gestellt.",
};
