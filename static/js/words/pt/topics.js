/** The Portuguese catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_TOPICS = {
  "Topics of {name}": "Tópicos de {name}",
  "Only the owner and admins can post in this topic.": "Só o dono e os admins podem publicar neste tópico.",
  "Mute this topic": "Silenciar este tópico",
  "{name} made a topic.": "{name} criou um tópico.",
  "{name} changed a topic.": "{name} alterou um tópico.",
  "{name} removed a topic.": "{name} excluiu um tópico.",
  "{name} created the topic {topic}.": "{name} criou o tópico {topic}.",
  "{name} removed the topic {topic}.": "{name} excluiu o tópico {topic}.",
  "{name} renamed the topic {topic} to {other}.": "{name} mudou o nome do tópico {topic} para {other}.",
  "{name} changed what the topic {topic} is about: {words}":
    "{name} mudou a descrição do tópico {topic}: {words}",
  "{name} removed the description of the topic {topic}.": "{name} removeu a descrição do tópico {topic}.",
  "{name} changed the picture of the topic {topic}.": "{name} mudou a foto do tópico {topic}.",
  "{name} changed the type of the topic {topic} to private.":
    "{name} mudou o tipo do tópico {topic} para privado.",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} mudou o tipo do tópico {topic} para anúncios.",
  Topics: "Tópicos",
  "Who can post": "Quem pode publicar",
  "All members": "Todos os membros",
  "Only the owner and admins": "Só o dono e os admins",
  "New topic": "Novo tópico",
  "Make a topic": "Criar um tópico",
  "Edit topic": "Editar tópico",
  "Remove the topic {name}?": "Excluir o tópico {name}?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "O tópico e todas as suas mensagens são excluídos para todo o grupo, para sempre.",
  "Remove topic": "Excluir tópico",
  "A topic is a conversation of its own for all members of the group.":
    "Um tópico é uma conversa à parte para todos os membros do grupo.",
  "No topics yet.": "Ainda não há tópicos.",
  "Topic picture": "Foto do tópico",
  "This topic has been removed.": "Este tópico foi excluído.",
  "This topic": "Este tópico",
  "In the topic {topic}": "No tópico {topic}",
  "Topic of {group}": "Tópico de {group}",
};
