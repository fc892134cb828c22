/** German: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_PASSKEYS = {
  "Log in with a passkey": "Mit einem Passkey anmelden",
  "Use a passkey": "Passkey verwenden",
  "This passkey is not accepted.": "Dieser Passkey wird nicht angenommen.",
  "No passkey was used. Try again.": "Es wurde kein Passkey verwendet. Versuch es noch einmal.",
  "This device has a passkey of this account already.": "Dieses Gerät hat schon einen Passkey dieses Kontos.",
  Passkeys: "Passkeys",
  "Add a passkey": "Passkey hinzufügen",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "Mit einem Passkey meldest du dich per Fingerabdruck, Gesicht oder PIN deines Geräts an, ohne Passwort.",
  "This browser has no passkeys at this address. They need https and a name.":
    "Dieser Browser hat unter dieser Adresse keine Passkeys. Sie brauchen https und einen Namen.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "Damit du ihn wiedererkennst: das Gerät, oder wo der Passkey liegt.",
  "The passkey was added.": "Der Passkey wurde hinzugefügt.",
  "Rename the passkey": "Passkey umbenennen",
  "Remove {it}?": "{it} entfernen?",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "Du kannst dich dann nicht mehr mit diesem Passkey anmelden. Entferne ihn auch von deinem Gerät.",
  "Works only at {host}.": "Funktioniert nur bei {host}.",
  "Rename: {it}": "Umbenennen: {it}",
  "Remove: {it}": "Entfernen: {it}",
  Rename: "Umbenennen",
};
