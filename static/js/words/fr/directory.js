/** French: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_DIRECTORY = {
  "Find groups": "Trouver des groupes",
  "Name or description": "Nom ou description",
  "Groups in the directory": "Groupes de l’annuaire",
  "Your requests to join": "Vos demandes d’adhésion",
  Withdraw: "Retirer",
  "Withdraw your request to join {name}": "Retirer la demande pour rejoindre {name}",
  Denied: "Refusée",
  "You were removed": "Vous avez été retiré",
  Join: "Rejoindre",
  "Join {name}": "Rejoindre {name}",
  "Ask to join {name}": "Demander à rejoindre {name}",
  Open: "Ouvrir",
  "Open {name}": "Ouvrir {name}",
  "This server has no directory of groups.": "Ce serveur n’a pas d’annuaire de groupes.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "Ses membres verront votre nom et votre photo, et vous verrez leurs messages. Vous pouvez partir à tout moment.",
  "List the group in the directory": "Afficher le groupe dans l’annuaire",
  "Everybody on this server finds it, and joins or asks to join.":
    "Tout le monde sur ce serveur le trouve et peut le rejoindre ou demander à le rejoindre.",
  "{name} listed the group in the directory.": "{name} a ajouté le groupe à l’annuaire.",
  "{name} took the group out of the directory.": "{name} a retiré le groupe de l’annuaire.",
  "Directory of groups": "Annuaire des groupes",
  "On: people find groups that want to be found": "Activé : on trouve les groupes qui le veulent",
  Guest: "Invité",
  Guests: "Invités",
  "People without an account become guests": "Les personnes sans compte deviennent des invités",
  "Guests see only their groups. Their accounts end with the invite.":
    "Les invités ne voient que leurs groupes. Leurs comptes prennent fin avec l’invitation.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "Vous êtes invité dans un groupe. Connectez-vous ou créez un compte d’invité pour le rejoindre.",
  "On: invites of groups may make guests":
    "Activé : les invitations de groupes peuvent accueillir des invités",
  "Make a member": "En faire un membre",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} devient membre : le compte n’a plus de fin et peut faire ce que peuvent les autres.",
  "Guest made a member": "Invité devenu membre",
};
