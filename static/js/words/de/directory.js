/** German: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_DIRECTORY = {
  "Find groups": "Gruppen finden",
  "Name or description": "Name oder Beschreibung",
  "Groups in the directory": "Gruppen im Verzeichnis",
  "Your requests to join": "Deine Beitrittsanfragen",
  Withdraw: "Zurückziehen",
  "Withdraw your request to join {name}": "Anfrage an {name} zurückziehen",
  Denied: "Abgelehnt",
  "You were removed": "Du wurdest entfernt",
  Join: "Beitreten",
  "Join {name}": "{name} beitreten",
  "Ask to join {name}": "Um Beitritt zu {name} bitten",
  Open: "Öffnen",
  "Open {name}": "{name} öffnen",
  "This server has no directory of groups.": "Dieser Server hat kein Verzeichnis von Gruppen.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "Die Mitglieder sehen deinen Namen und dein Bild, und du siehst ihre Nachrichten. Du kannst die Gruppe jederzeit verlassen.",
  "List the group in the directory": "Gruppe im Verzeichnis zeigen",
  "Everybody on this server finds it, and joins or asks to join.":
    "Alle auf diesem Server finden sie und können beitreten oder darum bitten.",
  "{name} listed the group in the directory.": "{name} zeigt die Gruppe nun im Verzeichnis.",
  "{name} took the group out of the directory.": "{name} hat die Gruppe aus dem Verzeichnis genommen.",
  "Directory of groups": "Verzeichnis der Gruppen",
  "On: people find groups that want to be found": "An: Gefunden werden Gruppen, die es wollen",
  Guest: "Gast",
  Guests: "Gäste",
  "People without an account become guests": "Wer kein Konto hat, wird Gast",
  "Guests see only their groups. Their accounts end with the invite.":
    "Gäste sehen nur ihre Gruppen. Ihre Konten enden mit der Einladung.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "Du bist in eine Gruppe eingeladen. Melde dich an oder erstelle ein Gastkonto, um beizutreten.",
  "On: invites of groups may make guests": "An: Einladungen von Gruppen können Gäste aufnehmen",
  "Make a member": "Zum Mitglied machen",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} wird Mitglied: Das Konto endet nicht mehr und darf, was andere dürfen.",
  "Guest made a member": "Gast zum Mitglied gemacht",
};
