/** Italian: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_PASSKEYS = {
  "Log in with a passkey": "Accedi con una passkey",
  "Use a passkey": "Usa una passkey",
  "This passkey is not accepted.": "Questa passkey non è accettata.",
  "No passkey was used. Try again.": "Nessuna passkey è stata usata. Riprova.",
  "This device has a passkey of this account already.":
    "Questo dispositivo ha già una passkey di questo account.",
  Passkeys: "Passkey",
  "Add a passkey": "Aggiungi una passkey",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "Con una passkey accedi con l’impronta, il volto o il PIN del tuo dispositivo, senza password.",
  "This browser has no passkeys at this address. They need https and a name.":
    "Questo browser non ha passkey a questo indirizzo. Servono https e un nome.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "Per riconoscerla: il dispositivo, o il luogo in cui la passkey è salvata.",
  "The passkey was added.": "La passkey è stata aggiunta.",
  "Rename the passkey": "Rinomina la passkey",
  "Remove {it}?": "Rimuovere {it}?",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "Non potrai più accedere con questa passkey. Rimuovila anche dal tuo dispositivo.",
  "Works only at {host}.": "Funziona solo su {host}.",
  "Rename: {it}": "Rinomina: {it}",
  "Remove: {it}": "Rimuovi: {it}",
  Rename: "Rinomina",
};
