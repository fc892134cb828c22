/**
 * French: the words about bans and timeouts, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_MODERATION = {
  "1 day": "1 jour",
  "1 week": "1 semaine",
  "30 days": "30 jours",
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
  "1 hour": "1 heure",
  "10 minutes": "10 minutes",
  "28 days": "28 jours",
  "An admin timed you out: you can read, but not write, until {time}.":
    "Un admin vous a mis en pause : vous pouvez lire, mais pas écrire, jusqu’à {time}.",
  "Banned and timed out": "Bannis et en pause",
  "End the timeout": "Mettre fin à la pause",
  "End the timeout of {name}": "Mettre fin à la pause de {name}",
  "Time out": "Mettre en pause",
  "Time out {name}?": "Mettre {name} en pause ?",
  "Time out…": "Mettre en pause…",
  "Until then, {name} can read and leave, but not write or react.":
    "D’ici là, {name} peut lire et quitter le groupe, mais ni écrire ni réagir.",
  Off: "Désactivé",
  "Slow mode": "Mode lent",
  "How long members wait between two messages. It does not apply to the owner and admins.":
    "Le temps d’attente des membres entre deux messages. Il ne vaut pas pour le propriétaire et les admins.",
  "Slow mode: you can post again in {time}.": "Mode lent : vous pourrez écrire dans {time}.",
  "{name} switched slow mode off.": "{name} a désactivé le mode lent.",
  "{name} set slow mode to {time}.": "{name} a réglé le mode lent sur {time}.",
};
