/**
 * German: the words of the pages behind links in mails, and of the second factor, by the English ones.
 */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Mindestens 8 Zeichen. Überall sonst wirst du abgemeldet.",
  "Back to log in": "Zurück zum Anmelden",
  "Forgot your password?": "Passwort vergessen?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Wenn ein Konto diese Adresse hat, ist eine Mail mit einem Link unterwegs. Der Link funktioniert einmal, innerhalb von 30 Minuten.",
  "Request a new link": "Neuen Link anfordern",
  "Send link": "Link senden",
  "Set a new password": "Neues Passwort festlegen",
  "Set password and log in": "Passwort festlegen und anmelden",
  "This link was used already, or is too old.": "Dieser Link wurde schon benutzt oder ist zu alt.",
  "This server sends no mail. Ask for a link: {contact}":
    "Dieser Server verschickt keine Mails. Bitte hier um einen Link: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Dieser Server verschickt keine Mails. Bitte die Betreiber um einen Link.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Alle Geräte sind abgemeldet. Eine Mail mit einem Link für ein neues Passwort ist unterwegs.",
  "It was not me": "Das war ich nicht",
  "Log out everywhere and send a link": "Überall abmelden und Link senden",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Vielleicht kennt jemand anderes dein Passwort. Dies meldet alle Geräte ab, macht das Passwort nutzlos und schickt dir einen Link für ein neues.",
  "A mail with a link is on its way.": "Eine Mail mit einem Link ist unterwegs.",
  "Confirm address": "Adresse bestätigen",
  "Confirm your email address": "Bestätige deine E-Mail-Adresse",
  "Go to the conversations": "Zu den Unterhaltungen",
  "Send the mail again": "Mail noch einmal senden",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} wird deine Adresse, sobald du den Link in der Mail dorthin öffnest.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} ist noch nicht bestätigt. Öffne den Link in der Mail dorthin.",
  "{email} is confirmed.": "{email} ist bestätigt.",
  "Two-factor log-in": "Anmeldung in zwei Schritten",
  "Trusted devices": "Vertraute Geräte",
  "Set up one-time codes": "Einmalcodes einrichten",
  "No code needed until ": "Kein Code nötig bis ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "Anmeldungen brauchen nur dein Passwort. Einmalcodes aus einer App schützen sie besser.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "Anmeldungen brauchen einen Einmalcode aus deiner App. Du hast keine Wiederherstellungscodes mehr.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "Anmeldungen brauchen einen Einmalcode aus deiner App. Übrige Wiederherstellungscodes: {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "Scanne dies mit einer Authenticator-App oder gib den Schlüssel dort ein.",
  "QR code of the key": "QR-Code des Schlüssels",
  key: "Schlüssel",
  "recovery codes": "Wiederherstellungscodes",
  "Please confirm that it is you.": "Bitte bestätige, dass du es bist.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "Bewahre diese Wiederherstellungscodes auf. Jeder gilt einmal anstelle eines Einmalcodes. Sie werden nicht wieder angezeigt.",
  "Enter the code.": "Gib den Code ein.",
  "Two-factor log-in is on.": "Die Anmeldung in zwei Schritten ist eingeschaltet.",
  "Two-factor log-in is off.": "Die Anmeldung in zwei Schritten ist ausgeschaltet.",
  "Turn off two-factor log-in?": "Anmeldung in zwei Schritten ausschalten?",
  "Recovery codes and trusted devices end too.":
    "Wiederherstellungscodes und vertraute Geräte gelten dann auch nicht mehr.",
  "The six digits that the app shows.": "Die sechs Ziffern, die die App anzeigt.",
  "The six digits of your authenticator app, or a recovery code.":
    "Die sechs Ziffern deiner Authenticator-App oder ein Wiederherstellungscode.",
  "This server asks for a second factor. Set one up in your account.":
    "Dieser Server verlangt einen zweiten Faktor. Richte ihn in deinem Konto ein.",
  "This server asks for a second factor. Set it up by {date}.":
    "Dieser Server verlangt einen zweiten Faktor. Richte ihn bis {date} ein.",
  "This server asks for a second factor. Set it up now.":
    "Dieser Server verlangt einen zweiten Faktor. Richte ihn jetzt ein.",
  "Who must have a second factor": "Wer einen zweiten Faktor haben muss",
  "People who have none get 14 days to set up one-time codes.":
    "Wer keinen hat, bekommt 14 Tage Zeit, Einmalcodes einzurichten.",
  "Nobody has to have one": "Niemand muss einen haben",
  Operators: "Die Verwaltung",
  "This server asks operators for a second factor. These pages open once you have one.":
    "Dieser Server verlangt von der Verwaltung einen zweiten Faktor. Diese Seiten öffnen sich, sobald du einen hast.",
  "Set up a second factor": "Zweiten Faktor einrichten",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "Dieser Server verlangt von allen einen zweiten Faktor. Deine Unterhaltungen öffnen sich, sobald du einen hast.",
  "A server that asks for a second factor will ask you to set one up again.":
    "Ein Server, der einen zweiten Faktor verlangt, wird dich bitten, wieder einen einzurichten.",
  "Trust this device": "Diesem Gerät vertrauen",
  "For 30 days, log-ins here need no code.": "30 Tage lang brauchen Anmeldungen hier keinen Code.",
  "This log-in has expired. Log in again.": "Diese Anmeldung ist abgelaufen. Melde dich noch einmal an.",
  "This code is wrong or was used already.": "Dieser Code ist falsch oder wurde schon benutzt.",
  "Enter your code": "Gib deinen Code ein",
  Code: "Code",
  Continue: "Weiter",
  Download: "Herunterladen",
  "Log out everywhere else": "Überall sonst abmelden",
  "Log out everywhere else?": "Überall sonst abmelden?",
  "Every other session ends at once. Applications keep their access.":
    "Alle anderen Sitzungen enden sofort. Anwendungen behalten ihren Zugriff.",
  "All other sessions were logged out.": "Alle anderen Sitzungen wurden abgemeldet.",
  "Log in with {provider}": "Mit {provider} anmelden",
  "Logging in…": "Anmeldung läuft …",
  "Link and log in": "Verknüpfen und anmelden",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "Es gibt schon ein Konto mit der Adresse {email}. Gib einmal dessen Passwort ein, um dich künftig mit {provider} anzumelden.",
  "Wrong password or code.": "Falsches Passwort oder falscher Code.",
  "Single sign-on": "Anmeldung über andere Konten",
  "Accounts elsewhere with which you log in here.": "Konten anderswo, mit denen du dich hier anmeldest.",
  "Link an account at {provider}": "Konto bei {provider} verknüpfen",
  "Confirm that it is you": "Bestätige, dass du es bist",
  "Confirm at {provider}": "Bei {provider} bestätigen",
  "Unlink {it}?": "Verknüpfung mit {it} lösen?",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "Du kannst dich mit diesem Konto nicht mehr anmelden. Deine anderen Sitzungen, die damit begannen, enden.",
  Unlink: "Verknüpfung lösen",
  "Unlink: {it}": "Verknüpfung lösen: {it}",
  "This is the only way to log in. Set a password first.":
    "Das ist der einzige Weg, dich anzumelden. Lege zuerst ein Passwort fest.",
  "New recovery codes": "Neue Wiederherstellungscodes",
  "The former recovery codes end.": "Die bisherigen Wiederherstellungscodes enden.",
  "Your recovery codes were replaced.": "Deine Wiederherstellungscodes wurden ersetzt.",
  "Acts of operators": "Handlungen der Betreiber",
  "What operators of this server did to your account, and why.":
    "Was Betreiber dieses Servers mit deinem Konto getan haben, und warum.",
  "on the server's machine": "auf der Maschine des Servers",
  "Turn these mails off": "Diese Mails abbestellen",
  "This link belongs to another address. Turn the mails off in your account.":
    "Dieser Link gehört zu einer anderen Adresse. Schalte die Mails in deinem Konto aus.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "Du bekommst keine Mails über ungelesene Nachrichten mehr. In deinem Konto kannst du sie wieder einschalten.",
  "Mails about unread messages": "Mails über ungelesene Nachrichten",
  "After half an hour, when I am away": "Nach einer halben Stunde, wenn ich nicht da bin",
  "Once a day": "Einmal am Tag",
  "Once a week": "Einmal in der Woche",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "Direktnachrichten, Erwähnungen und Antworten. Stummgeschaltete Unterhaltungen werden ausgelassen.",
  "Only addresses of certain domains may register.":
    "Nur Adressen bestimmter Domains dürfen sich registrieren.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "Nur Adressen bestimmter Domains dürfen sich registrieren. Eine Mail bestätigt deine.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "Adressen von {domains} dürfen sich registrieren. Eine Mail bestätigt deine.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "Eine Mail an {address} ist unterwegs. Öffne ihren Link innerhalb von 7 Tagen, dann kannst du dich anmelden.",
  "Confirm your address first, with the link in the mail.":
    "Bestätige zuerst deine Adresse mit dem Link in der Mail.",
  "The one that you chose when you created the account.":
    "Das Passwort, das du beim Erstellen des Kontos gewählt hast.",
  "Who confirms an address of certain domains": "Wer eine Adresse bestimmter Domains bestätigt",
  "Domains whose addresses may register": "Domains, deren Adressen sich registrieren dürfen",
  "Like example.org, example.com": "Zum Beispiel example.org, example.com",
  "Show the domains": "Domains zeigen",
  "Enter a domain, like example.org.": "Gib eine Domain ein, etwa example.org.",
  "Waits for the confirmation of the address": "Wartet auf die Bestätigung der Adresse",
  "Can be used": "Benutzbar",
  "Who are you, and why do you want an account?": "Wer bist du, und warum möchtest du ein Konto?",
  "The operators of this server read it, and decide.":
    "Die Betreiber dieses Servers lesen es und entscheiden.",
  "Write a sentence about yourself.": "Schreib einen Satz über dich.",
  "Your request was sent. You can log in once the operators approve it.":
    "Deine Anfrage wurde gesendet. Du kannst dich anmelden, sobald die Betreiber sie annehmen.",
  "The operators have not approved this account yet. You can log in once they do.":
    "Die Betreiber haben dieses Konto noch nicht freigegeben. Danach kannst du dich anmelden.",
  "You are invited. Create an account.": "Du bist eingeladen. Lege ein Konto an.",
  "You are invited to {place}. Create an account.": "Du bist zu {place} eingeladen. Lege ein Konto an.",
  "You are invited. This server creates no accounts with a password.":
    "Du bist eingeladen. Dieser Server legt keine Konten mit Passwort an.",
  "This invitation was used up or has ended. Ask for a new one.":
    "Diese Einladung ist aufgebraucht oder beendet. Bitte um eine neue.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "Diese Einladung gibt es nicht. Prüfe die Adresse oder bitte um eine neue.",
  "You need an invitation to create an account.": "Für ein Konto brauchst du eine Einladung.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "Für ein Konto brauchst du eine Einladung. Frag die Betreiber dieses Servers.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "Für ein Konto brauchst du eine Einladung. Frag danach: {contact}",
};
