/** Portuguese: the words of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_PASSKEYS = {
  "Log in with a passkey": "Entrar com uma chave de acesso",
  "Use a passkey": "Usar uma chave de acesso",
  "This passkey is not accepted.": "Esta chave de acesso não é aceita.",
  "No passkey was used. Try again.": "Nenhuma chave de acesso foi usada. Tente novamente.",
  "This device has a passkey of this account already.":
    "Este dispositivo já tem uma chave de acesso desta conta.",
  Passkeys: "Chaves de acesso",
  "Add a passkey": "Adicionar uma chave de acesso",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "Com uma chave de acesso, você entra com a impressão digital, o rosto ou o PIN do seu dispositivo, sem senha.",
  "This browser has no passkeys at this address. They need https and a name.":
    "Este navegador não aceita chaves de acesso neste endereço. Elas precisam de https e de um nome.",
  "So that you recognize it: the device, or where the passkey is stored.":
    "Para você reconhecê-la: o dispositivo ou o lugar onde a chave está guardada.",
  "The passkey was added.": "A chave de acesso foi adicionada.",
  "Rename the passkey": "Renomear a chave de acesso",
  "Remove {it}?": "Remover {it}?",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "Você não poderá mais entrar com esta chave de acesso. Remova-a também do seu dispositivo.",
  "Works only at {host}.": "Funciona somente em {host}.",
  "Rename: {it}": "Renomear: {it}",
  "Remove: {it}": "Remover: {it}",
  Rename: "Renomear",
};
