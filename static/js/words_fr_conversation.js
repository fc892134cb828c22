/** The French catalogue of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_CONVERSATION = {
  Video: "Vidéo",
  "Your answer": "Votre réponse",
  "Download the picture": "Télécharger l’image",
  "Zoom in": "Agrandir",
  "Zoom out": "Réduire",
  "Withdraw my vote": "Retirer mon vote",
  "One answer": "Une seule réponse",
  "Several answers": "Plusieurs réponses",
  "No votes yet": "Aucun vote",
  "1 person voted": "1 personne a voté",
  "{count} people voted": "{count} personnes ont voté",
  "Stop and listen": "Arrêter et écouter",
  "Position in {name}": "Position dans {name}",
  "Pause {name}": "Mettre {name} en pause",
  "Speed {speed}": "Vitesse {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}, {at} sur {count}. Les flèches la déplacent.",
  "This text is too long for a message.": "Ce texte est trop long pour un message.",
  "Send it as a file": "L’envoyer comme fichier",
  "Add a caption": "Ajouter une légende",
  "You were mentioned": "On vous a mentionné",
  Sections: "Rubriques",
  "Do you have an invitation link? Open it in this browser.":
    "Vous avez un lien d’invitation ? Ouvrez-le dans ce navigateur.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "Créez un groupe et invitez-y des gens par un lien. On voit votre nom et votre photo.",
  "Set up your profile": "Compléter votre profil",
};
