/** French words of the actions on messages, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_ACTIONS = {
  "More actions": "Autres actions",
  "Message actions": "Actions du message",
  "More reactions…": "Autres réactions…",
  "Reply in thread": "Répondre dans le fil",
  Select: "Sélectionner",
  "Cancel selection": "Annuler la sélection",
  "Selected messages": "Messages sélectionnés",
  "1 selected": "1 sélectionné",
  "{count} selected": {
    one: "{count} sélectionné",
    many: "{count} sélectionnés",
    other: "{count} sélectionnés",
  },
  "Select: {it}": "Sélectionner : {it}",
  "Delete {count} messages?": {
    one: "Supprimer {count} message ?",
    many: "Supprimer {count} messages ?",
    other: "Supprimer {count} messages ?",
  },
  "Forward {count} messages": {
    one: "Transférer {count} message",
    many: "Transférer {count} messages",
    other: "Transférer {count} messages",
  },
  Details: "Détails",
  "Close details": "Fermer les détails",
  "Back to the details": "Retour aux détails",
  "Pictures, files and links": "Images, fichiers et liens",
  Members: "Membres",
};
