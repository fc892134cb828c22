/**
 * French: the words of the client, by the English ones. Those about bots and those of windows
 * lie beside them.
 */

import { FRENCH_ACTIONS } from "./actions.js";
import { FRENCH_ADMIN } from "./admin.js";
import { FRENCH_BOTS } from "./bots.js";
import { FRENCH_CONVERSATION } from "./conversation.js";
import { FRENCH_DIRECTORY } from "./directory.js";
import { FRENCH_FOLDERS } from "./folders.js";
import { FRENCH_LINES } from "./lines.js";
import { FRENCH_MAIL } from "./mail.js";
import { FRENCH_MENTIONS } from "./mentions.js";
import { FRENCH_MODERATION } from "./moderation.js";
import { FRENCH_MORE } from "./more.js";
import { FRENCH_PASSKEYS } from "./passkeys.js";
import { FRENCH_RULES } from "./rules.js";
import { FRENCH_SAVED } from "./saved.js";
import { FRENCH_TOKENS } from "./tokens.js";
import { FRENCH_TOPICS } from "./topics.js";
import { FRENCH_WINDOWS } from "./windows.js";

/** @type {import("../words.js").Catalogue} */
export const FRENCH = {
  ...FRENCH_ACTIONS,
  ...FRENCH_BOTS,
  ...FRENCH_CONVERSATION,
  ...FRENCH_DIRECTORY,
  ...FRENCH_FOLDERS,
  ...FRENCH_LINES,
  ...FRENCH_ADMIN,
  ...FRENCH_MAIL,
  ...FRENCH_PASSKEYS,
  ...FRENCH_TOKENS,
  ...FRENCH_TOPICS,
  ...FRENCH_MODERATION,
  ...FRENCH_RULES,
  ...FRENCH_MENTIONS,
  ...FRENCH_SAVED,
  ...FRENCH_MORE,
  ...FRENCH_WINDOWS,
  " You see the messages stored on this device: {when}.":
    " Vous voyez les messages enregistrés sur cet appareil : {when}.",
  "{count} replies": "{count} réponses",
  "{count} characters; {MOST} are allowed.": "{count} caractères ; {MOST} sont permis.",
  "{count} earlier messages are waiting to be sent": "{count} messages précédents attendent d’être envoyés",
  "{count} people are typing…": "{count} personnes écrivent…",
  "Draft: ": "Brouillon : ",
  "{it} and {it2} are typing…": "{it} et {it2} écrivent…",
  "{it} commands": "{it} commandes",
  "{it} is typing…": "{it} écrit…",
  "{it} too many": "{it} de trop",
  "{left} left": "encore {left}",
  "{missed} new messages": "{missed} nouveaux messages",
  "No connection: only messages on this device were searched.":
    "Pas de connexion : seuls les messages de cet appareil ont été cherchés.",
  "Nothing was found.": "Rien n’a été trouvé.",
  "{said} and {count} more": "{said} et {count} de plus",
  "1 reply": "1 réponse",
  "1 earlier message is waiting to be sent": "1 message précédent attend d’être envoyé",
  "1 new message": "1 nouveau message",
  "A file": "Un fichier",
  "A place": "Un lieu",
  "About {name}": "À propos de {name}",
  "Account · Coterie": "Compte · Coterie",
  "Add a picture or file": "Ajouter une photo ou un fichier",
  "An admin deleted this message": "Un administrateur a supprimé ce message",
  "An earlier message": "Un message précédent",
  Attachment: "Pièce jointe",
  "Bots · Coterie": "Bots · Coterie",
  Cancel: "Annuler",
  "Catching up…": "Rattrapage…",
  "Choose a conversation to read and write, or start a new group.":
    "Choisissez une conversation pour lire et écrire, ou commencez un nouveau groupe.",
  Close: "Fermer",
  Commands: "Commandes",
  Connected: "Connecté",
  "Connecting…": "Connexion…",
  Conversation: "Conversation",
  Conversations: "Conversations",
  Copied: "Copié",
  Copy: "Copier",
  "Copy {label}": "Copier {label}",
  "Copy link": "Copier le lien",
  "Mark as unread": "Marquer comme non lu",
  "Create a group": "Créer un groupe",
  "Create a group and add the people you want to talk to.":
    "Créez un groupe et ajoutez les personnes à qui vous voulez parler.",
  "Delete this message?": "Supprimer ce message ?",
  "Direct messages": "Messages directs",
  "Do not reply": "Ne pas répondre",
  "Download {name}": "Télécharger {name}",
  Edit: "Modifier",
  "Edit message": "Modifier le message",
  "edited ": "modifié ",
  Events: "Événements",
  Files: "Fichiers",
  "Files to add": "Fichiers à ajouter",
  "Files to send": "Fichiers à envoyer",
  "Find a conversation": "Trouver une conversation",
  Gallery: "Galerie",
  "Go to (Ctrl K)": "Aller à (Ctrl K)",
  "Good to see you": "Content de vous voir",
  "In {group}, {words}": "Dans {group}, {words}",
  "In reply to ": "En réponse à ",
  "This was written more than a day ago. Send it anyway?":
    "Ce message a été écrit il y a plus d’un jour. L’envoyer quand même ?",
  "Jump to the newest message": "Aller au message le plus récent",
  "Drop files to add them": "Déposez les fichiers pour les ajouter",
  "Loading newer messages…": "Chargement des messages plus récents…",
  "Loading older messages…": "Chargement des messages plus anciens…",
  "Log out": "Se déconnecter",
  "Message to {name}": "Message à {name}",
  Messages: "Messages",
  "Muted ": "En sourdine ",
  "New group": "Nouveau groupe",
  "New message": "Nouveau message",
  "New messages": "Nouveaux messages",
  "No conversations yet.": "Pas encore de conversations.",
  "No messages yet": "Pas encore de messages",
  "Its content is removed for everyone. Its place and its likes stay.":
    "Son contenu est supprimé pour tout le monde. Sa place et ses j’aime restent.",
  "Not sent: ": "Non envoyé : ",
  "Not sent. {why}": "Non envoyé. {why}",
  "No results.": "Aucun résultat.",
  Offline: "Hors ligne",
  "Offline. Reconnecting…": "Hors ligne. Reconnexion…",
  "Older messages could not be loaded. Try again":
    "Les messages plus anciens n’ont pas pu être chargés. Réessayez",
  "Older messages appear when you are connected.": "Les messages plus anciens s’affichent une fois connecté.",
  Online: "En ligne",
  "Only the owner can hand the group over.": "Seul le propriétaire peut confier le groupe.",
  "Only you so far": "Vous seul pour l’instant",
  Picture: "Photo",
  "Picture from you": "Photo de vous",
  Pin: "Épingler",
  "Pinned ": "Épinglé ",
  "Pinned messages": "Messages épinglés",
  Place: "Lieu",
  "Place: {name}": "Lieu : {name}",
  "Play {name}": "Lire {name}",
  Polls: "Sondages",
  React: "Réagir",
  "Remove {name}": "Retirer {name}",
  Reply: "Répondre",
  "Enter a text, or delete the message.": "Saisissez un texte, ou supprimez le message.",
  "Send the first message, or add people to the group.":
    "Envoyez le premier message, ou ajoutez des personnes au groupe.",
  "Send the first message. Only you and {name} can read it.":
    "Envoyez le premier message. Vous seul et {name} pouvez le lire.",
  Seen: "Vu",
  "Selected. Copy it with Ctrl+C.": "Sélectionné. Copiez avec Ctrl+C.",
  Send: "Envoyer",
  Sending: "Envoi",
  "Sends once uploaded": "Partira une fois téléversé",
  "Skip to the conversation": "Aller à la conversation",
  Somebody: "Quelqu’un",
  Someone: "Quelqu’un",
  "Something went wrong. Try again.": "Une erreur s’est produite. Réessayez.",
  "This does not exist, or you have no access to it.": "Cela n’existe pas, ou vous n’y avez pas accès.",
  "Too many requests. Try again in a moment.": "Trop de requêtes. Réessayez dans un instant.",
  "The group could not be handed over.": "Le groupe n’a pas pu être confié.",
  "The group is yours already.": "Le groupe est déjà à vous.",
  "The group may have been deleted, or you are no longer a member of it.":
    "Le groupe a peut-être été supprimé, ou vous n’en êtes plus membre.",
  "The server cannot be reached. Check your connection.":
    "Le serveur est injoignable. Vérifiez votre connexion.",
  "The server has been updated. Reload this page to continue.":
    "Le serveur a été mis à jour. Rechargez cette page pour continuer.",
  "The server is not available right now. Try again in a moment.":
    "Le serveur n’est pas disponible. Réessayez dans un instant.",
  "The request failed ({status}).": "La requête a échoué ({status}).",
  "Chat not found": "Discussion introuvable",
  "Group not found": "Groupe introuvable",
  "This is the beginning of the conversation.": "C’est le début de la conversation.",
  "This message cannot be shown. It may be very old, or not be in this conversation.":
    "Ce message ne peut pas être affiché. Il est peut-être très ancien, ou n’est pas dans cette conversation.",
  "This message is not on this device, and there is no connection.":
    "Ce message n’est pas sur cet appareil, et il n’y a pas de connexion.",
  "This part of the page could not be loaded. Check your connection and try again.":
    "Cette partie de la page n’a pas pu être chargée. Vérifiez votre connexion et réessayez.",
  "This person is not in the group any more.": "Cette personne n’est plus dans le groupe.",
  "This takes longer than usual. The person will appear here once it is done.":
    "Cela prend plus de temps que d’habitude. La personne apparaîtra ici une fois ajoutée.",
  "To you, {words}": "À vous, {words}",
  Today: "Aujourd’hui",
  "Try again": "Réessayer",
  Unblock: "Débloquer",
  Unpin: "Désépingler",
  "Unread: ": "Non lus : ",
  "Uploading {name}": "Téléversement de {name}",
  "Uploading…": "Téléversement…",
  "Waiting. It will be sent automatically.": "En attente. Il sera envoyé automatiquement.",
  Yesterday: "Hier",
  "You are invited to a group. Log in or create an account to join it.":
    "Vous êtes invité dans un groupe. Connectez-vous ou créez un compte pour le rejoindre.",
  "You have been logged out. Log in again to continue.":
    "Vous avez été déconnecté. Connectez-vous à nouveau pour continuer.",
  "You share no group with this person, and have not written to each other yet.":
    "Vous ne partagez aucun groupe avec cette personne, et vous ne vous êtes pas encore écrit.",
  "Your like could not be saved. {why}": "Votre j’aime n’a pas pu être enregistré. {why}",
  "Your picture": "Votre photo",
  "Your reaction could not be saved. {it}": "Votre réaction n’a pas pu être enregistrée. {it}",
};
