/** Spanish: the words of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const SPANISH_CONVERSATION = {
  Video: "Video",
  "Your answer": "Tu respuesta",
  "Download the picture": "Descargar la imagen",
  "Zoom in": "Acercar",
  "Zoom out": "Alejar",
  "Withdraw my vote": "Retirar mi voto",
  "One answer": "Una respuesta",
  "Several answers": "Varias respuestas",
  "No votes yet": "Aún no hay votos",
  "1 person voted": "1 persona votó",
  "{count} people voted": "{count} personas votaron",
  "Stop and listen": "Parar y escuchar",
  "Position in {name}": "Posición en {name}",
  "Pause {name}": "Pausar {name}",
  "Speed {speed}": "Velocidad {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}, {at} de {count}. Las flechas lo mueven.",
  "This text is too long for a message.": "Este texto es demasiado largo para un mensaje.",
  "Send it as a file": "Enviarlo como archivo",
  "Add a caption": "Añadir un pie de foto",
  "You were mentioned": "Te mencionaron",
  Sections: "Secciones",
  "Do you have an invitation link? Open it in this browser.":
    "¿Tienes un enlace de invitación? Ábrelo en este navegador.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "Crea un grupo e invita a otras personas con un enlace. Verán tu nombre y tu foto.",
  "Set up your profile": "Completar tu perfil",
};
