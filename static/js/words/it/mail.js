/** Italian: the words of the pages behind links in mails, and of the second factor. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Almeno 8 caratteri. Le tue altre sessioni vengono chiuse.",
  "Back to log in": "Torna all’accesso",
  "Forgot your password?": "Password dimenticata?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Se un account ha questo indirizzo, un’email con un link è in arrivo. Il link funziona una volta, per 30 minuti.",
  "Request a new link": "Richiedi un nuovo link",
  "Send link": "Invia link",
  "Set a new password": "Imposta una nuova password",
  "Set password and log in": "Imposta password e accedi",
  "This link was used already, or is too old.": "Questo link è già stato usato o è troppo vecchio.",
  "This server sends no mail. Ask for a link: {contact}":
    "Questo server non invia email. Chiedi un link: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Questo server non invia email. Chiedi un link a chi lo gestisce.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Tutte le sessioni sono state chiuse. Un’email con un link per una nuova password è in arrivo.",
  "It was not me": "Non ero io",
  "Log out everywhere and send a link": "Chiudi tutte le sessioni e invia un link",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Qualcun altro potrebbe conoscere la tua password. Questo chiude tutte le sessioni, rende inutile quella password e ti invia un link per una nuova.",
  "A mail with a link is on its way.": "Un’email con un link è in arrivo.",
  "Confirm address": "Conferma indirizzo",
  "Confirm your email address": "Conferma il tuo indirizzo email",
  "Go to the conversations": "Vai alle conversazioni",
  "Send the mail again": "Invia di nuovo l’email",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} diventa il tuo indirizzo appena apri il link nell’email che ricevi lì.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} non è ancora confermato. Apri il link nell’email che hai ricevuto lì.",
  "{email} is confirmed.": "{email} è confermato.",
  "Two-factor log-in": "Verifica in due passaggi",
  "Trusted devices": "Dispositivi attendibili",
  "Set up one-time codes": "Configura i codici monouso",
  "No code needed until ": "Nessun codice richiesto fino a ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "Per accedere basta la tua password. I codici monouso di un’app proteggono meglio.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "Per accedere serve un codice monouso della tua app. Non hai più codici di recupero.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "Per accedere serve un codice monouso della tua app. Codici di recupero rimasti: {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "Scansiona questo codice con un’app di autenticazione o scrivici la chiave.",
  "QR code of the key": "Codice QR della chiave",
  key: "chiave",
  "recovery codes": "codici di recupero",
  "Please confirm that it is you.": "Conferma la tua identità.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "Conserva questi codici di recupero. Ognuno vale una volta al posto di un codice monouso. Non verranno più mostrati.",
  "Enter the code.": "Scrivi il codice.",
  "Two-factor log-in is on.": "La verifica in due passaggi è attiva.",
  "Two-factor log-in is off.": "La verifica in due passaggi è disattivata.",
  "Turn off two-factor log-in?": "Disattivare la verifica in due passaggi?",
  "Recovery codes and trusted devices end too.":
    "Anche i codici di recupero e i dispositivi attendibili non valgono più.",
  "The six digits that the app shows.": "Le sei cifre che mostra l’app.",
  "The six digits of your authenticator app, or a recovery code.":
    "Le sei cifre della tua app di autenticazione o un codice di recupero.",
  "This server asks for a second factor. Set one up in your account.":
    "Questo server richiede un secondo fattore. Configuralo nel tuo account.",
  "This server asks for a second factor. Set it up by {date}.":
    "Questo server richiede un secondo fattore. Scadenza per configurarlo: {date}.",
  "This server asks for a second factor. Set it up now.":
    "Questo server richiede un secondo fattore. Configuralo adesso.",
  "Who must have a second factor": "Chi deve avere un secondo fattore",
  "People who have none get 14 days to set up one-time codes.":
    "Chi non ne ha uno ha 14 giorni per configurare i codici monouso.",
  "Nobody has to have one": "Nessuno è obbligato",
  Operators: "Gli operatori",
  "This server asks operators for a second factor. These pages open once you have one.":
    "Questo server richiede un secondo fattore agli operatori. Queste pagine si aprono appena ne hai uno.",
  "Set up a second factor": "Configura un secondo fattore",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "Questo server richiede un secondo fattore a tutti. Le tue conversazioni si aprono appena ne hai uno.",
  "A server that asks for a second factor will ask you to set one up again.":
    "Un server che richiede un secondo fattore ti chiederà di configurarne un altro.",
  "Trust this device": "Considera attendibile questo dispositivo",
  "For 30 days, log-ins here need no code.": "Per 30 giorni, qui non serve un codice per accedere.",
  "This log-in has expired. Log in again.": "Questo accesso è scaduto. Accedi di nuovo.",
  "This code is wrong or was used already.": "Questo codice è errato o è già stato usato.",
  "Enter your code": "Scrivi il tuo codice",
  Code: "Codice",
  Continue: "Continua",
  Download: "Scarica",
  "Log out everywhere else": "Chiudi le altre sessioni",
  "Log out everywhere else?": "Chiudere le altre sessioni?",
  "Every other session ends at once. Applications keep their access.":
    "Tutte le altre sessioni terminano subito. Le applicazioni mantengono l’accesso.",
  "All other sessions were logged out.": "Tutte le altre sessioni sono state chiuse.",
  "Log in with {provider}": "Accedi con {provider}",
  "Logging in…": "Accesso in corso…",
  "Link and log in": "Collega e accedi",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "Esiste già un account con l’indirizzo {email}. Scrivi una volta la sua password per accedervi con {provider}.",
  "Wrong password or code.": "Password o codice errati.",
  "Single sign-on": "Accesso unico",
  "Accounts elsewhere with which you log in here.": "Account esterni con cui accedi qui.",
  "Link an account at {provider}": "Collega un account di {provider}",
  "Confirm that it is you": "Conferma la tua identità",
  "Confirm at {provider}": "Conferma con {provider}",
  "Unlink {it}?": "Scollegare {it}?",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "Non potrai più accedere con questo account. Le tue altre sessioni iniziate con esso terminano.",
  Unlink: "Scollega",
  "Unlink: {it}": "Scollega: {it}",
  "This is the only way to log in. Set a password first.":
    "È l’unico modo per accedere. Imposta prima una password.",
  "New recovery codes": "Nuovi codici di recupero",
  "The former recovery codes end.": "I codici di recupero precedenti non valgono più.",
  "Your recovery codes were replaced.": "I tuoi codici di recupero sono stati sostituiti.",
  "Acts of operators": "Azioni degli operatori",
  "What operators of this server did to your account, and why.":
    "Che cosa hanno fatto gli operatori di questo server al tuo account, e perché.",
  "on the server's machine": "sulla macchina del server",
  "Turn these mails off": "Non ricevere più queste e-mail",
  "This link belongs to another address. Turn the mails off in your account.":
    "Questo link appartiene a un altro indirizzo. Disattiva le e-mail nel tuo account.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "Non riceverai più e-mail sui messaggi non letti. Puoi riattivarle nel tuo account.",
  "Mails about unread messages": "E-mail sui messaggi non letti",
  "After half an hour, when I am away": "Dopo mezz’ora, quando non ci sono",
  "Once a day": "Una volta al giorno",
  "Once a week": "Una volta alla settimana",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "Messaggi diretti, menzioni e risposte. Le conversazioni silenziate sono escluse.",
  "Only addresses of certain domains may register.": "Possono registrarsi solo indirizzi di certi domini.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "Possono registrarsi solo indirizzi di certi domini. Un’email conferma il tuo.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "Possono registrarsi indirizzi di {domains}. Un’email conferma il tuo.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "Un’email è in arrivo a {address}. Apri il link entro 7 giorni, poi potrai accedere.",
  "Confirm your address first, with the link in the mail.":
    "Conferma prima il tuo indirizzo con il link nell’email.",
  "The one that you chose when you created the account.": "Quella che hai scelto creando l’account.",
  "Who confirms an address of certain domains": "Chi conferma un indirizzo di certi domini",
  "Domains whose addresses may register": "Domini i cui indirizzi possono registrarsi",
  "Like example.org, example.com": "Per esempio example.org, example.com",
  "Show the domains": "Mostra i domini",
  "Enter a domain, like example.org.": "Inserisci un dominio, come example.org.",
  "Waits for the confirmation of the address": "Attende la conferma dell’indirizzo",
  "Can be used": "Utilizzabile",
  "Who are you, and why do you want an account?": "Chi sei e perché vuoi un account?",
  "The operators of this server read it, and decide.":
    "Gli operatori di questo server lo leggono e decidono.",
  "Write a sentence about yourself.": "Scrivi una frase su di te.",
  "Your request was sent. You can log in once the operators approve it.":
    "La tua richiesta è stata inviata. Potrai accedere quando gli operatori la approveranno.",
  "The operators have not approved this account yet. You can log in once they do.":
    "Gli operatori non hanno ancora approvato questo account. Potrai accedere quando lo faranno.",
  "You are invited. Create an account.": "Hai ricevuto un invito. Crea un account.",
  "You are invited to {place}. Create an account.": "Hai ricevuto un invito a {place}. Crea un account.",
  "You are invited. This server creates no accounts with a password.":
    "Hai ricevuto un invito. Questo server non crea account con password.",
  "This invitation was used up or has ended. Ask for a new one.":
    "Questo invito è esaurito o terminato. Chiedine uno nuovo.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "Questo invito non esiste. Controlla l’indirizzo o chiedine uno nuovo.",
  "You need an invitation to create an account.": "Per creare un account serve un invito.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "Per creare un account serve un invito. Chiedilo agli operatori di questo server.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "Per creare un account serve un invito. Chiedilo qui: {contact}",
};
