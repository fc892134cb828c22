/** The German catalogue of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_CONVERSATION = {
  Video: "Video",
  "Your answer": "Deine Antwort",
  "Download the picture": "Bild herunterladen",
  "Zoom in": "Vergrößern",
  "Zoom out": "Verkleinern",
  "Withdraw my vote": "Stimme zurückziehen",
  "One answer": "Eine Antwort",
  "Several answers": "Mehrere Antworten",
  "No votes yet": "Noch keine Stimmen",
  "1 person voted": "1 Person hat abgestimmt",
  "{count} people voted": "{count} Personen haben abgestimmt",
  "Stop and listen": "Beenden und anhören",
  "Position in {name}": "Position in {name}",
  "Pause {name}": "{name} anhalten",
  "Speed {speed}": "Geschwindigkeit {speed}",
  "{name}, {at} of {count}. The arrow keys move it.":
    "{name}, {at} von {count}. Die Pfeiltasten verschieben es.",
  "This text is too long for a message.": "Dieser Text ist zu lang für eine Nachricht.",
  "Send it as a file": "Als Datei senden",
  "Add a caption": "Bildunterschrift",
  "You were mentioned": "Du wurdest erwähnt",
  Sections: "Abschnitte",
  "Do you have an invitation link? Open it in this browser.":
    "Hast du einen Einladungslink? Öffne ihn in diesem Browser.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "Gründe eine Gruppe und lade mit einem Link dazu ein. Andere sehen deinen Namen und dein Bild.",
  "Set up your profile": "Profil einrichten",
};
