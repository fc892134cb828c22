/**
 * French: the words of the pages behind links in mails, and of the second factor, by the English ones.
 */

/** @type {import("../words.js").Catalogue} */
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
  "Two-factor log-in": "Connexion en deux étapes",
  "Trusted devices": "Appareils de confiance",
  "Set up one-time codes": "Configurer les codes à usage unique",
  "No code needed until ": "Aucun code demandé jusqu’au ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "Les connexions ne demandent que votre mot de passe. Les codes à usage unique d’une application les protègent mieux.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "Les connexions demandent un code à usage unique de votre application. Il ne vous reste aucun code de secours.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "Les connexions demandent un code à usage unique de votre application. Codes de secours restants : {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "Scannez ceci avec une application d’authentification, ou saisissez-y la clé.",
  "QR code of the key": "Code QR de la clé",
  key: "la clé",
  "recovery codes": "les codes de secours",
  "Please confirm that it is you.": "Veuillez confirmer que c’est bien vous.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "Conservez ces codes de secours. Chacun remplace une fois un code à usage unique. Ils ne seront plus affichés.",
  "Enter the code.": "Saisissez le code.",
  "Two-factor log-in is on.": "La connexion en deux étapes est activée.",
  "Two-factor log-in is off.": "La connexion en deux étapes est désactivée.",
  "Turn off two-factor log-in?": "Désactiver la connexion en deux étapes ?",
  "Recovery codes and trusted devices end too.":
    "Les codes de secours et les appareils de confiance ne seront plus valables non plus.",
  "The six digits that the app shows.": "Les six chiffres que l’application affiche.",
  "The six digits of your authenticator app, or a recovery code.":
    "Les six chiffres de votre application d’authentification, ou un code de secours.",
  "This server asks for a second factor. Set one up in your account.":
    "Ce serveur exige un second facteur. Configurez-le dans votre compte.",
  "This server asks for a second factor. Set it up by {date}.":
    "Ce serveur exige un second facteur. Échéance pour le configurer : {date}.",
  "This server asks for a second factor. Set it up now.":
    "Ce serveur exige un second facteur. Configurez-le maintenant.",
  "Who must have a second factor": "Qui doit avoir un second facteur",
  "People who have none get 14 days to set up one-time codes.":
    "Ceux qui n’en ont pas ont 14 jours pour configurer les codes à usage unique.",
  "Nobody has to have one": "Personne n’y est obligé",
  Operators: "Les opérateurs",
  "This server asks operators for a second factor. These pages open once you have one.":
    "Ce serveur exige un second facteur des opérateurs. Ces pages s’ouvriront dès que vous en aurez un.",
  "Set up a second factor": "Configurez un second facteur",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "Ce serveur exige un second facteur de tout le monde. Vos conversations s’ouvriront dès que vous en aurez un.",
  "A server that asks for a second factor will ask you to set one up again.":
    "Un serveur qui exige un second facteur vous demandera d’en configurer un nouveau.",
  "Trust this device": "Faire confiance à cet appareil",
  "For 30 days, log-ins here need no code.": "Pendant 30 jours, les connexions ici ne demandent aucun code.",
  "This log-in has expired. Log in again.": "Cette connexion a expiré. Reconnectez-vous.",
  "This code is wrong or was used already.": "Ce code est incorrect ou a déjà été utilisé.",
  "Enter your code": "Saisissez votre code",
  Code: "Code",
  Continue: "Continuer",
  Download: "Télécharger",
  "Log out everywhere else": "Se déconnecter partout ailleurs",
  "Log out everywhere else?": "Se déconnecter partout ailleurs ?",
  "Every other session ends at once. Applications keep their access.":
    "Toutes les autres sessions se terminent aussitôt. Les applications gardent leur accès.",
  "All other sessions were logged out.": "Toutes les autres sessions ont été déconnectées.",
  "Log in with {provider}": "Se connecter avec {provider}",
  "Logging in…": "Connexion en cours…",
  "Link and log in": "Associer et se connecter",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "Il existe déjà un compte avec l’adresse {email}. Saisissez une fois son mot de passe pour vous y connecter avec {provider}.",
  "Wrong password or code.": "Mot de passe ou code incorrect.",
  "Single sign-on": "Authentification unique",
  "Accounts elsewhere with which you log in here.": "Comptes externes avec lesquels vous vous connectez ici.",
  "Link an account at {provider}": "Associer un compte {provider}",
  "Confirm that it is you": "Confirmez votre identité",
  "Confirm at {provider}": "Confirmer avec {provider}",
  "Unlink {it}?": "Dissocier {it} ?",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "Vous ne pourrez plus vous connecter avec ce compte. Vos autres sessions ouvertes avec lui prennent fin.",
  Unlink: "Dissocier",
  "Unlink: {it}": "Dissocier : {it}",
  "This is the only way to log in. Set a password first.":
    "C’est le seul moyen de vous connecter. Définissez d’abord un mot de passe.",
  "New recovery codes": "Nouveaux codes de secours",
  "The former recovery codes end.": "Les anciens codes de secours ne fonctionnent plus.",
  "Your recovery codes were replaced.": "Vos codes de secours ont été remplacés.",
  "Acts of operators": "Actes des opérateurs",
  "What operators of this server did to your account, and why.":
    "Ce que les opérateurs de ce serveur ont fait à votre compte, et pourquoi.",
  "on the server's machine": "sur la machine du serveur",
  "Turn these mails off": "Ne plus recevoir ces e-mails",
  "This link belongs to another address. Turn the mails off in your account.":
    "Ce lien appartient à une autre adresse. Désactivez ces e-mails dans votre compte.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "Vous ne recevrez plus d’e-mails sur les messages non lus. Vous pouvez les réactiver dans votre compte.",
  "Mails about unread messages": "E-mails sur les messages non lus",
  "After half an hour, when I am away": "Après une demi-heure, si je suis absent",
  "Once a day": "Une fois par jour",
  "Once a week": "Une fois par semaine",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "Messages directs, mentions et réponses. Les conversations en sourdine sont exclues.",
  "Only addresses of certain domains may register.":
    "Seules les adresses de certains domaines peuvent s’inscrire.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "Seules les adresses de certains domaines peuvent s’inscrire. Un e-mail confirme la vôtre.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "Les adresses de {domains} peuvent s’inscrire. Un e-mail confirme la vôtre.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "Un e-mail est en route vers {address}. Ouvrez son lien dans les 7 jours, vous pourrez ensuite vous connecter.",
  "Confirm your address first, with the link in the mail.":
    "Confirmez d’abord votre adresse avec le lien de l’e-mail.",
  "The one that you chose when you created the account.": "Celui que vous avez choisi en créant le compte.",
  "Who confirms an address of certain domains": "Qui confirme une adresse de certains domaines",
  "Domains whose addresses may register": "Domaines dont les adresses peuvent s’inscrire",
  "Like example.org, example.com": "Par exemple example.org, example.com",
  "Show the domains": "Afficher les domaines",
  "Enter a domain, like example.org.": "Saisissez un domaine, comme example.org.",
  "Waits for the confirmation of the address": "Attend la confirmation de l’adresse",
  "Can be used": "Utilisable",
  "Who are you, and why do you want an account?": "Qui êtes-vous, et pourquoi voulez-vous un compte ?",
  "The operators of this server read it, and decide.": "Les opérateurs de ce serveur le lisent et décident.",
  "Write a sentence about yourself.": "Écrivez une phrase sur vous.",
  "Your request was sent. You can log in once the operators approve it.":
    "Votre demande est envoyée. Vous pourrez vous connecter dès que les opérateurs l’auront approuvée.",
  "The operators have not approved this account yet. You can log in once they do.":
    "Les opérateurs n’ont pas encore approuvé ce compte. Vous pourrez vous connecter ensuite.",
  "You are invited. Create an account.": "Vous êtes invité. Créez un compte.",
  "You are invited to {place}. Create an account.": "Vous êtes invité sur {place}. Créez un compte.",
  "You are invited. This server creates no accounts with a password.":
    "Vous êtes invité. Ce serveur ne crée pas de compte avec mot de passe.",
  "This invitation was used up or has ended. Ask for a new one.":
    "Cette invitation est épuisée ou terminée. Demandez-en une nouvelle.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "Cette invitation n’existe pas. Vérifiez l’adresse, ou demandez-en une nouvelle.",
  "You need an invitation to create an account.": "Il faut une invitation pour créer un compte.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "Il faut une invitation pour créer un compte. Demandez aux opérateurs de ce serveur.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "Il faut une invitation pour créer un compte. Demandez-en une : {contact}",
};
