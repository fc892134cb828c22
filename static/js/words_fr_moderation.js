/**
 * French: the words about bans, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_MODERATION = {
  "1 day": "1 jour",
  "1 week": "1 semaine",
  "30 days": "30 jours",
  Banned: "Bannis",
  "Delete those of the last day": "Supprimer ceux du dernier jour",
  "Delete those of the last hour": "Supprimer ceux de la dernière heure",
  "Delete those of the last week": "Supprimer ceux de la dernière semaine",
  "How long": "Durée",
  "Keep them": "Les conserver",
  "Lift the ban": "Lever le bannissement",
  "Lift the ban of {name}": "Lever le bannissement de {name}",
  "Messages of {name}": "Messages de {name}",
  "Reason (optional)": "Motif (facultatif)",
  "Remove and ban": "Exclure et bannir",
  "Remove and ban {name}?": "Exclure et bannir {name} ?",
  "Remove and ban…": "Exclure et bannir…",
  "The owner, admins and {name} can see it.": "Le propriétaire, les admins et {name} peuvent le voir.",
  "Until somebody lifts the ban": "Jusqu’à ce que quelqu’un le lève",
  "Until {time}": "Jusqu’à {time}",
};
