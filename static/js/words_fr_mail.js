/**
 * French: the words of the pages behind links in mails, by the English ones.
 */

/** @type {import("./words.js").Catalogue} */
export const FRENCH_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Au moins 8 caractères. Vous êtes déconnecté partout ailleurs.",
  "Back to log in": "Retour à la connexion",
  "Forgot your password?": "Mot de passe oublié ?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Si un compte a cette adresse, un message avec un lien est en route. Le lien fonctionne une fois, pendant 30 minutes.",
  "Request a new link": "Demander un nouveau lien",
  "Send link": "Envoyer le lien",
  "Set a new password": "Choisir un nouveau mot de passe",
  "Set password and log in": "Choisir ce mot de passe et se connecter",
  "This link was used already, or is too old.": "Ce lien a déjà servi ou est trop ancien.",
  "This server sends no mail. Ask for a link: {contact}":
    "Ce serveur n’envoie pas de messages. Demandez un lien ici : {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Ce serveur n’envoie pas de messages. Demandez un lien à ceux qui le gèrent.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Tous les appareils sont déconnectés. Un message avec un lien pour un nouveau mot de passe est en route.",
  "It was not me": "Ce n’était pas moi",
  "Log out everywhere and send a link": "Déconnecter partout et envoyer un lien",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Quelqu’un d’autre connaît peut-être votre mot de passe. Ceci déconnecte tous les appareils, rend ce mot de passe inutile et vous envoie un lien pour un nouveau.",
  "A mail with a link is on its way.": "Un message avec un lien est en route.",
  "Confirm address": "Confirmer l’adresse",
  "Confirm your email address": "Confirmez votre adresse e-mail",
  "Go to the conversations": "Aller aux conversations",
  "Send the mail again": "Renvoyer le message",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} devient votre adresse dès que vous ouvrez le lien reçu à cette adresse.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} n’est pas encore confirmée. Ouvrez le lien reçu à cette adresse.",
  "{email} is confirmed.": "{email} est confirmée.",
};
