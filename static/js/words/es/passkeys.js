/** Spanish: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_PASSKEYS = {
  "Log in with a passkey": "Iniciar sesión con una llave de acceso",
  "Use a passkey": "Usar una llave de acceso",
  "This passkey is not accepted.": "No se acepta esta llave de acceso.",
  "No passkey was used. Try again.": "No se usó ninguna llave de acceso. Inténtalo de nuevo.",
  "This device has a passkey of this account already.":
    "Este dispositivo ya tiene una llave de acceso de esta cuenta.",
  Passkeys: "Llaves de acceso",
  "Add a passkey": "Añadir una llave de acceso",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "Con una llave de acceso inicias sesión con la huella, la cara o el PIN de tu dispositivo, sin contraseña.",
  "This browser has no passkeys at this address. They need https and a name.":
    "Este navegador no admite llaves de acceso en esta dirección. Necesitan https y un nombre.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "Para que la reconozcas: el dispositivo o el lugar donde se guarda la llave.",
  "The passkey was added.": "Se añadió la llave de acceso.",
  "Rename the passkey": "Cambiar el nombre de la llave de acceso",
  "Remove {it}?": "¿Quitar {it}?",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "Ya no podrás iniciar sesión con esta llave de acceso. Quítala también de tu dispositivo.",
  "Works only at {host}.": "Solo funciona en {host}.",
  "Rename: {it}": "Cambiar nombre: {it}",
  "Remove: {it}": "Quitar: {it}",
  Rename: "Cambiar nombre",
};
