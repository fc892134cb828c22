/**
 * Italian: the words of the client, by the English ones. Those about bots and those of windows
 * lie beside them.
 */

import { ITALIAN_ACTIONS } from "./actions.js";
import { ITALIAN_ADMIN } from "./admin.js";
import { ITALIAN_BOTS } from "./bots.js";
import { ITALIAN_CONVERSATION } from "./conversation.js";
import { ITALIAN_DIRECTORY } from "./directory.js";
import { ITALIAN_FOLDERS } from "./folders.js";
import { ITALIAN_LINES } from "./lines.js";
import { ITALIAN_MAIL } from "./mail.js";
import { ITALIAN_MENTIONS } from "./mentions.js";
import { ITALIAN_MODERATION } from "./moderation.js";
import { ITALIAN_MORE } from "./more.js";
import { ITALIAN_PASSKEYS } from "./passkeys.js";
import { ITALIAN_RULES } from "./rules.js";
import { ITALIAN_SAVED } from "./saved.js";
import { ITALIAN_TOKENS } from "./tokens.js";
import { ITALIAN_TOPICS } from "./topics.js";
import { ITALIAN_WINDOWS } from "./windows.js";

/** @type {import("../words.js").Catalogue} */
export const ITALIAN = {
  ...ITALIAN_ACTIONS,
  ...ITALIAN_ADMIN,
  ...ITALIAN_BOTS,
  ...ITALIAN_CONVERSATION,
  ...ITALIAN_DIRECTORY,
  ...ITALIAN_FOLDERS,
  ...ITALIAN_LINES,
  ...ITALIAN_MAIL,
  ...ITALIAN_MODERATION,
  ...ITALIAN_MORE,
  ...ITALIAN_PASSKEYS,
  ...ITALIAN_RULES,
  ...ITALIAN_MENTIONS,
  ...ITALIAN_SAVED,
  ...ITALIAN_TOKENS,
  ...ITALIAN_TOPICS,
  ...ITALIAN_WINDOWS,
  " You see the messages stored on this device: {when}.":
    " Stai vedendo i messaggi salvati su questo dispositivo: {when}.",
  "{count} replies": "{count} risposte",
  "{count} characters; {MOST} are allowed.": "{count} caratteri; ne sono consentiti {MOST}.",
  "{count} earlier messages are waiting to be sent": "{count} messaggi precedenti sono in attesa di invio",
  "{count} people are typing…": "{count} persone stanno scrivendo…",
  "Draft: ": "Bozza: ",
  "{it} and {it2} are typing…": "{it} e {it2} stanno scrivendo…",
  "{it} commands": "{it} comandi",
  "{it} is typing…": "{it} sta scrivendo…",
  "{it} too many": "{it} di troppo",
  "{left} left": "Ne restano {left}",
  "{missed} new messages": "{missed} nuovi messaggi",
  "No connection: only messages on this device were searched.":
    "Nessuna connessione: la ricerca ha incluso solo i messaggi su questo dispositivo.",
  "Nothing was found.": "Non è stato trovato nulla.",
  "{said} and {count} more": "{said} e altri {count}",
  "1 reply": "1 risposta",
  "1 earlier message is waiting to be sent": "1 messaggio precedente è in attesa di invio",
  "1 new message": "1 nuovo messaggio",
  "A file": "Un file",
  "A place": "Un luogo",
  "About {name}": "Informazioni su {name}",
  "Account · Coterie": "Account · Coterie",
  "Add a picture or file": "Aggiungi un’immagine o un file",
  "An admin deleted this message": "Un admin ha eliminato questo messaggio",
  "An earlier message": "Un messaggio precedente",
  Attachment: "Allegato",
  "Bots · Coterie": "Bot · Coterie",
  Cancel: "Annulla",
  "Catching up…": "Aggiornamento…",
  "Choose a conversation to read and write, or start a new group.":
    "Scegli una conversazione per leggere e scrivere, o crea un nuovo gruppo.",
  Close: "Chiudi",
  Commands: "Comandi",
  Connected: "Connesso",
  "Connecting…": "Connessione…",
  Conversation: "Conversazione",
  Conversations: "Conversazioni",
  Copied: "Copiato",
  Copy: "Copia",
  "Copy {label}": "Copia {label}",
  "Copy link": "Copia link",
  "Mark as unread": "Segna come non letto",
  "Create a group": "Crea un gruppo",
  "Create a group and add the people you want to talk to.":
    "Crea un gruppo e aggiungi le persone con cui vuoi parlare.",
  "Delete this message?": "Eliminare questo messaggio?",
  "Direct messages": "Messaggi diretti",
  "Do not reply": "Non rispondere",
  "Download {name}": "Scarica {name}",
  Edit: "Modifica",
  "Edit message": "Modifica messaggio",
  "edited ": "modificato ",
  Events: "Eventi",
  Files: "File",
  "Files to add": "File da aggiungere",
  "Files to send": "File da inviare",
  "Find a conversation": "Cerca una conversazione",
  Gallery: "Galleria",
  "Go to (Ctrl K)": "Vai a (Ctrl K)",
  "Good to see you": "È bello rivederti",
  "In {group}, {words}": "In {group}, {words}",
  "In reply to ": "In risposta a ",
  "This was written more than a day ago. Send it anyway?":
    "Questo messaggio è stato scritto più di un giorno fa. Inviarlo comunque?",
  "Jump to the newest message": "Vai al messaggio più recente",
  "Drop files to add them": "Rilascia i file per aggiungerli",
  "Loading newer messages…": "Caricamento dei messaggi più recenti…",
  "Loading older messages…": "Caricamento dei messaggi precedenti…",
  "Log out": "Esci",
  "Message to {name}": "Messaggio per {name}",
  Messages: "Messaggi",
  "Muted ": "Silenziato ",
  "New group": "Nuovo gruppo",
  "New message": "Nuovo messaggio",
  "New messages": "Nuovi messaggi",
  "No conversations yet.": "Ancora nessuna conversazione.",
  "No messages yet": "Ancora nessun messaggio",
  "Its content is removed for everyone. Its place and its likes stay.":
    "Il contenuto viene rimosso per tutti. Il posto e i “Mi piace” restano.",
  "Not sent: ": "Non inviato: ",
  "Not sent. {why}": "Non inviato. {why}",
  "No results.": "Nessun risultato.",
  Offline: "Offline",
  "Offline. Reconnecting…": "Offline. Riconnessione…",
  "Older messages could not be loaded. Try again": "Impossibile caricare i messaggi precedenti. Riprova",
  "Older messages appear when you are connected.": "I messaggi precedenti appaiono quando c’è connessione.",
  Online: "Online",
  "Only the owner can hand the group over.": "Solo il proprietario può cedere il gruppo.",
  "Only you so far": "Per ora solo tu",
  Picture: "Immagine",
  "Picture from you": "Immagine tua",
  Pin: "Fissa",
  "Pinned ": "Fissato ",
  "Pinned messages": "Messaggi fissati",
  Place: "Luogo",
  "Place: {name}": "Luogo: {name}",
  "Play {name}": "Riproduci {name}",
  Polls: "Sondaggi",
  React: "Reagisci",
  "Remove {name}": "Rimuovi {name}",
  Reply: "Rispondi",
  "Enter a text, or delete the message.": "Scrivi un testo o elimina il messaggio.",
  "Send the first message, or add people to the group.":
    "Invia il primo messaggio o aggiungi persone al gruppo.",
  "Send the first message. Only you and {name} can read it.":
    "Invia il primo messaggio. Solo tu e {name} potete leggerlo.",
  Seen: "Visto",
  "Selected. Copy it with Ctrl+C.": "Selezionato. Copialo con Ctrl+C.",
  Send: "Invia",
  Sending: "Invio in corso",
  "Sends once uploaded": "Verrà inviato al termine del caricamento",
  "Skip to the conversation": "Salta alla conversazione",
  Somebody: "Qualcuno",
  Someone: "Qualcuno",
  "Something went wrong. Try again.": "Qualcosa è andato storto. Riprova.",
  "This does not exist, or you have no access to it.": "Non esiste, o non hai accesso.",
  "Too many requests. Try again in a moment.": "Troppe richieste. Riprova tra un momento.",
  "The group could not be handed over.": "Impossibile cedere il gruppo.",
  "The group is yours already.": "Il gruppo è già tuo.",
  "The group may have been deleted, or you are no longer a member of it.":
    "Il gruppo potrebbe essere stato eliminato, o non ne fai più parte.",
  "The server cannot be reached. Check your connection.":
    "Impossibile raggiungere il server. Controlla la connessione.",
  "The server has been updated. Reload this page to continue.":
    "Il server è stato aggiornato. Ricarica questa pagina per continuare.",
  "The server is not available right now. Try again in a moment.":
    "Il server non è disponibile in questo momento. Riprova tra un momento.",
  "The request failed ({status}).": "La richiesta non è riuscita ({status}).",
  "Chat not found": "Chat non trovata",
  "Group not found": "Gruppo non trovato",
  "This is the beginning of the conversation.": "Questo è l’inizio della conversazione.",
  "This message cannot be shown. It may be very old, or not be in this conversation.":
    "Impossibile mostrare questo messaggio. Forse è molto vecchio o non è in questa conversazione.",
  "This message is not on this device, and there is no connection.":
    "Questo messaggio non è su questo dispositivo e non c’è connessione.",
  "This part of the page could not be loaded. Check your connection and try again.":
    "Impossibile caricare questa parte della pagina. Controlla la connessione e riprova.",
  "This person is not in the group any more.": "Questa persona non è più nel gruppo.",
  "This takes longer than usual. The person will appear here once it is done.":
    "Ci vuole più del solito. La persona apparirà qui al termine.",
  "To you, {words}": "Per te, {words}",
  Today: "Oggi",
  "Try again": "Riprova",
  Unblock: "Sblocca",
  Unpin: "Togli dai fissati",
  "Unread: ": "Non letti: ",
  "Uploading {name}": "Caricamento di {name}",
  "Uploading…": "Caricamento…",
  "Waiting. It will be sent automatically.": "In attesa. Verrà inviato automaticamente.",
  Yesterday: "Ieri",
  "You are invited to a group. Log in or create an account to join it.":
    "Hai ricevuto un invito a un gruppo. Accedi o crea un account per entrare.",
  "You have been logged out. Log in again to continue.":
    "La tua sessione è stata chiusa. Accedi di nuovo per continuare.",
  "You share no group with this person, and have not written to each other yet.":
    "Non hai gruppi in comune con questa persona e non vi siete ancora scritti.",
  "Your like could not be saved. {why}": "Impossibile salvare il tuo “Mi piace”. {why}",
  "Your picture": "La tua foto",
  "Your reaction could not be saved. {it}": "Impossibile salvare la tua reazione. {it}",
};
