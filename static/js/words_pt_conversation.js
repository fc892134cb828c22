/** Portuguese: the words of cards, the composer and the head of a conversation. */

/** @type {import("./words.js").Catalogue} */
export const PORTUGUESE_CONVERSATION = {
  Video: "Vídeo",
  "Your answer": "Sua resposta",
  "Download the picture": "Baixar a imagem",
  "Zoom in": "Ampliar",
  "Zoom out": "Reduzir",
  "Withdraw my vote": "Retirar meu voto",
  "One answer": "Uma resposta",
  "Several answers": "Várias respostas",
  "No votes yet": "Ainda não há votos",
  "1 person voted": "1 pessoa votou",
  "{count} people voted": "{count} pessoas votaram",
  "Stop and listen": "Parar e ouvir",
  "Position in {name}": "Posição em {name}",
  "Pause {name}": "Pausar {name}",
  "Speed {speed}": "Velocidade {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}, {at} de {count}. As setas o movem.",
  "This text is too long for a message.": "Este texto é longo demais para uma mensagem.",
  "Send it as a file": "Enviar como arquivo",
  "Add a caption": "Adicionar uma legenda",
  "You were mentioned": "Mencionaram você",
  Sections: "Seções",
  "Do you have an invitation link? Open it in this browser.":
    "Você tem um link de convite? Abra-o neste navegador.",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "Crie um grupo e convide pessoas com um link. Elas veem seu nome e sua foto.",
  "Set up your profile": "Completar seu perfil",
};
