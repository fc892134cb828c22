/** Italian: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_DIRECTORY = {
  "Find groups": "Trova gruppi",
  "Name or description": "Nome o descrizione",
  "Groups in the directory": "Gruppi dell’elenco",
  "Your requests to join": "Le tue richieste di adesione",
  Withdraw: "Ritira",
  "Withdraw your request to join {name}": "Ritira la richiesta di unirti a {name}",
  Denied: "Rifiutata",
  "You were removed": "Sei stato rimosso",
  Join: "Unisciti",
  "Join {name}": "Unisciti a {name}",
  "Ask to join {name}": "Chiedi di unirti a {name}",
  Open: "Apri",
  "Open {name}": "Apri {name}",
  "This server has no directory of groups.": "Questo server non ha un elenco di gruppi.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "I membri vedranno il tuo nome e la tua foto, e tu vedrai i loro messaggi. Puoi uscire in qualsiasi momento.",
  "List the group in the directory": "Mostra il gruppo nell’elenco",
  "Everybody on this server finds it, and joins or asks to join.":
    "Tutti su questo server lo trovano e possono unirsi o chiedere di unirsi.",
  "{name} listed the group in the directory.": "{name} ha aggiunto il gruppo all’elenco.",
  "{name} took the group out of the directory.": "{name} ha tolto il gruppo dall’elenco.",
  "Directory of groups": "Elenco dei gruppi",
  "On: people find groups that want to be found": "Attivo: si trovano i gruppi che lo vogliono",
  Guest: "Ospite",
  Guests: "Ospiti",
  "People without an account become guests": "Chi non ha un account diventa ospite",
  "Guests see only their groups. Their accounts end with the invite.":
    "Gli ospiti vedono solo i propri gruppi. I loro account terminano con l’invito.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "Hai ricevuto un invito in un gruppo. Accedi o crea un account da ospite per entrare.",
  "On: invites of groups may make guests": "Attivo: gli inviti dei gruppi possono accogliere ospiti",
  "Make a member": "Rendi membro",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} diventa membro: l’account non termina più e può fare ciò che possono gli altri.",
  "Guest made a member": "Ospite reso membro",
};
