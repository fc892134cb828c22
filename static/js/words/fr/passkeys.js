/** French: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_PASSKEYS = {
  "Log in with a passkey": "Se connecter avec une clé d’accès",
  "Use a passkey": "Utiliser une clé d’accès",
  "This passkey is not accepted.": "Cette clé d’accès n’est pas acceptée.",
  "No passkey was used. Try again.": "Aucune clé d’accès n’a été utilisée. Réessayez.",
  "This device has a passkey of this account already.": "Cet appareil a déjà une clé d’accès de ce compte.",
  Passkeys: "Clés d’accès",
  "Add a passkey": "Ajouter une clé d’accès",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "Avec une clé d’accès, vous vous connectez par empreinte, visage ou code de votre appareil, sans mot de passe.",
  "This browser has no passkeys at this address. They need https and a name.":
    "Ce navigateur n’a pas de clés d’accès à cette adresse. Il leur faut https et un nom.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "Pour la reconnaître : l’appareil, ou l’endroit où elle est conservée.",
  "The passkey was added.": "La clé d’accès a été ajoutée.",
  "Rename the passkey": "Renommer la clé d’accès",
  "Remove {it}?": "Supprimer {it} ?",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "Vous ne pourrez plus vous connecter avec cette clé d’accès. Supprimez-la aussi de votre appareil.",
  "Works only at {host}.": "Fonctionne seulement sur {host}.",
  "Rename: {it}": "Renommer : {it}",
  "Remove: {it}": "Supprimer : {it}",
  Rename: "Renommer",
};
