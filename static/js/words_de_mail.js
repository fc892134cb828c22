/**
 * German: the words of the pages behind links in mails, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const GERMAN_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Mindestens 8 Zeichen. Überall sonst wirst du abgemeldet.",
  "Back to log in": "Zurück zum Anmelden",
  "Forgot your password?": "Passwort vergessen?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Wenn ein Konto diese Adresse hat, ist eine Mail mit einem Link unterwegs. Der Link funktioniert einmal, innerhalb von 30 Minuten.",
  "Request a new link": "Neuen Link anfordern",
  "Send link": "Link senden",
  "Set a new password": "Neues Passwort festlegen",
  "Set password and log in": "Passwort festlegen und anmelden",
  "This link was used already, or is too old.": "Dieser Link wurde schon benutzt oder ist zu alt.",
  "This server sends no mail. Ask for a link: {contact}":
    "Dieser Server verschickt keine Mails. Bitte hier um einen Link: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Dieser Server verschickt keine Mails. Bitte die Betreiber um einen Link.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Alle Geräte sind abgemeldet. Eine Mail mit einem Link für ein neues Passwort ist unterwegs.",
  "It was not me": "Das war ich nicht",
  "Log out everywhere and send a link": "Überall abmelden und Link senden",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Vielleicht kennt jemand anderes dein Passwort. Dies meldet alle Geräte ab, macht das Passwort nutzlos und schickt dir einen Link für ein neues.",
  "A mail with a link is on its way.": "Eine Mail mit einem Link ist unterwegs.",
  "Confirm address": "Adresse bestätigen",
  "Confirm your email address": "Bestätige deine E-Mail-Adresse",
  "Go to the conversations": "Zu den Unterhaltungen",
  "Send the mail again": "Mail noch einmal senden",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} wird deine Adresse, sobald du den Link in der Mail dorthin öffnest.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} ist noch nicht bestätigt. Öffne den Link in der Mail dorthin.",
  "{email} is confirmed.": "{email} ist bestätigt.",
};
