/** Italian: the words of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const ITALIAN_CONVERSATION = {
  Video: "Video",
  "Your answer": "La tua risposta",
  "Download the picture": "Scarica l’immagine",
  "Zoom in": "Ingrandisci",
  "Zoom out": "Riduci",
  "Withdraw my vote": "Ritira il mio voto",
  "One answer": "Una risposta",
  "Several answers": "Più risposte",
  "No votes yet": "Ancora nessun voto",
  "1 person voted": "1 persona ha votato",
  "{count} people voted": "{count} persone hanno votato",
  "Stop and listen": "Ferma e ascolta",
  "Position in {name}": "Posizione in {name}",
  "Pause {name}": "Metti in pausa {name}",
  "Speed {speed}": "Velocità {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}, {at} di {count}. Le frecce lo spostano.",
  "This text is too long for a message.": "Questo testo è troppo lungo per un messaggio.",
  "Send it as a file": "Invialo come file",
  "Add a caption": "Aggiungi una didascalia",
  "You were mentioned": "Hai ricevuto una menzione",
  Sections: "Sezioni",
  "Do you have an invitation link? Open it in this browser.":
    "Hai un link d’invito? Aprilo in questo browser.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "Crea un gruppo e invita altre persone con un link. Vedranno il tuo nome e la tua foto.",
  "Set up your profile": "Completa il tuo profilo",
};
