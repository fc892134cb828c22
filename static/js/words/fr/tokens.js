/** French: the words of scopes and of tokens that people make, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_TOKENS = {
  "Read profiles and blocks": "Lire les profils et les blocages",
  "Change your profile and blocks": "Modifier votre profil et vos blocages",
  "See groups and their members": "Voir les groupes et leurs membres",
  "Create, join and leave groups": "Créer, rejoindre et quitter des groupes",
  "Manage groups and their members": "Gérer les groupes et leurs membres",
  "Read messages in groups": "Lire les messages dans les groupes",
  "Write in groups": "Écrire dans les groupes",
  "Read direct messages": "Lire les messages directs",
  "Write direct messages": "Écrire des messages directs",
  "Manage your bots": "Gérer vos bots",
  "Manage notifications": "Gérer les notifications",
  "Everything about your account": "Tout ce qui concerne votre compte",
  "Read as an operator": "Lire en tant qu’opérateur",
  "Moderate as an operator": "Modérer en tant qu’opérateur",
  "Administer as an operator": "Administrer en tant qu’opérateur",
  "In 7 days": "Dans 7 jours",
  "In 30 days": "Dans 30 jours",
  "In 90 days": "Dans 90 jours",
  "As late as the server allows": "Aussi tard que le serveur le permet",
  Ends: "Expire",
  "What the token may do": "Ce que le jeton peut faire",
  "New token": "Nouveau jeton",
  "Choose at least one.": "Choisissez-en au moins un.",
  token: "jeton",
  "Make a token": "Créer un jeton",
  "Your tokens": "Vos jetons",
  "With a token, a script does what you allow it. ":
    "Avec un jeton, un script fait ce que vous lui permettez. ",
  ", until ": ", jusqu’au ",
  "May do {count} things": {
    one: "Peut faire {count} chose",
    many: "Peut faire {count} choses",
    other: "Peut faire {count} choses",
  },
  "What the application may ask for": "Ce que l’application peut demander",
  "Tick only what it needs: people see this list before they allow access.":
    "Cochez seulement ce dont elle a besoin : les personnes voient cette liste avant d’autoriser l’accès.",
  "Everything that applications may do": "Tout ce que les applications peuvent faire",
};
