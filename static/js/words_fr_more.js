/** French: the words of invitations, of voice messages, of profiles, and of what is told of a message. */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_MORE = {
  "1 like": "1 j’aime",
  "{count} likes": "{count} j’aime",
  "{name} invites you.": "{name} vous invite.",
  "About this message": "À propos de ce message",
  "At most {MOST} characters.": "{MOST} caractères au plus.",
  "Conversations in groups and between two. All of it is kept on this server: {host}.":
    "Des conversations en groupe et à deux. Tout est conservé sur ce serveur : {host}.",
  Edited: "Modifié",
  "For a while without data: new messages come as SMS to {number}.":
    "Pour un moment sans données mobiles : les nouveaux messages arrivent par SMS au {number}.",
  "For how long": "Durée",
  "For {count} hours": "Pendant {count} heures",
  "I like": "J’aime",
  "Invite by a link": "Inviter par un lien",
  "Invite to {name}": "Inviter dans {name}",
  Mine: "Les miens",
  "Most liked": "Les plus aimés",
  "New messages come as SMS to {number}.": "Les nouveaux messages arrivent par SMS au {number}.",
  "No likes yet.": "Pas encore de j’aime.",
  "Nobody yet.": "Personne pour l’instant.",
  Profile: "Profil",
  "QR code": "Code QR",
  "QR code of the link": "Code QR du lien",
  Reactions: "Réactions",
  "Read by": "Lu par",
  "Record a voice message": "Enregistrer un message vocal",
  Recording: "Enregistrement en cours",
  "SMS mode": "Mode SMS",
  "Send voice message": "Envoyer le message vocal",
  Sent: "Envoyé",
  "Share…": "Partager…",
  "The microphone cannot be used. Allow it for this page in your browser.":
    "Le micro ne peut pas être utilisé. Autorisez-le pour cette page dans votre navigateur.",
  "This account has no phone number to which SMS could be sent.":
    "Ce compte n’a pas de numéro de téléphone auquel envoyer des SMS.",
  "This month": "Ce mois-ci",
  "This week": "Cette semaine",
  "Throw the recording away": "Jeter l’enregistrement",
  "Turn off SMS mode": "Désactiver le mode SMS",
  "Turn on SMS mode": "Activer le mode SMS",
  "Voice message": "Message vocal",
  "Which messages": "Quels messages",
  "Your name here": "Votre nom ici",
  "Your name in this group": "Votre nom dans ce groupe",
};
