/** The Spanish catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_TOPICS = {
  "Topics of {name}": "Temas de {name}",
  "Only the owner and admins can post in this topic.":
    "Solo el propietario y los admins pueden publicar en este tema.",
  "Mute this topic": "Silenciar este tema",
  "{name} made a topic.": "{name} creó un tema.",
  "{name} changed a topic.": "{name} cambió un tema.",
  "{name} removed a topic.": "{name} eliminó un tema.",
  "{name} created the topic {topic}.": "{name} creó el tema {topic}.",
  "{name} removed the topic {topic}.": "{name} eliminó el tema {topic}.",
  "{name} renamed the topic {topic} to {other}.": "{name} cambió el nombre del tema {topic} a {other}.",
  "{name} changed what the topic {topic} is about: {words}":
    "{name} cambió la descripción del tema {topic}: {words}",
  "{name} removed the description of the topic {topic}.": "{name} quitó la descripción del tema {topic}.",
  "{name} changed the picture of the topic {topic}.": "{name} cambió la foto del tema {topic}.",
  "{name} changed the type of the topic {topic} to private.":
    "{name} cambió el tipo del tema {topic} a privado.",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} cambió el tipo del tema {topic} a anuncios.",
  Topics: "Temas",
  "Who can post": "Quién puede publicar",
  "All members": "Todos los miembros",
  "Only the owner and admins": "Solo el propietario y los admins",
  "New topic": "Tema nuevo",
  "Make a topic": "Crear un tema",
  "Edit topic": "Editar tema",
  "Remove the topic {name}?": "¿Eliminar el tema {name}?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "El tema y todos sus mensajes se eliminan para todo el grupo, para siempre.",
  "Remove topic": "Eliminar tema",
  "A topic is a conversation of its own for all members of the group.":
    "Un tema es una conversación aparte para todos los miembros del grupo.",
  "No topics yet.": "Todavía no hay temas.",
  "Topic picture": "Foto del tema",
  "This topic has been removed.": "Este tema se ha eliminado.",
  "This topic": "Este tema",
  "In the topic {topic}": "En el tema {topic}",
  "Topic of {group}": "Tema de {group}",
};
