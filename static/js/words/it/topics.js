/** The Italian catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const ITALIAN_TOPICS = {
  "Topics of {name}": "Argomenti di {name}",
  "Only the owner and admins can post in this topic.":
    "Solo il proprietario e gli admin possono pubblicare in questo argomento.",
  "Mute this topic": "Silenzia questo argomento",
  "{name} made a topic.": "{name} ha creato un argomento.",
  "{name} changed a topic.": "{name} ha modificato un argomento.",
  "{name} removed a topic.": "{name} ha eliminato un argomento.",
  "{name} created the topic {topic}.": "{name} ha creato l’argomento {topic}.",
  "{name} removed the topic {topic}.": "{name} ha eliminato l’argomento {topic}.",
  "{name} renamed the topic {topic} to {other}.": "{name} ha rinominato l’argomento {topic} in {other}.",
  "{name} changed what the topic {topic} is about: {words}":
    "{name} ha cambiato la descrizione dell’argomento {topic}: {words}",
  "{name} removed the description of the topic {topic}.":
    "{name} ha tolto la descrizione dell’argomento {topic}.",
  "{name} changed the picture of the topic {topic}.": "{name} ha cambiato la foto dell’argomento {topic}.",
  "{name} changed the type of the topic {topic} to private.":
    "{name} ha cambiato il tipo dell’argomento {topic} in privato.",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} ha cambiato il tipo dell’argomento {topic} in annunci.",
  Topics: "Argomenti",
  "Who can post": "Chi può pubblicare",
  "All members": "Tutti i membri",
  "Only the owner and admins": "Solo il proprietario e gli admin",
  "New topic": "Nuovo argomento",
  "Make a topic": "Crea un argomento",
  "Edit topic": "Modifica argomento",
  "Remove the topic {name}?": "Eliminare l’argomento {name}?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "L’argomento e tutti i suoi messaggi vengono eliminati per tutto il gruppo, per sempre.",
  "Remove topic": "Elimina argomento",
  "A topic is a conversation of its own for all members of the group.":
    "Un argomento è una conversazione a parte per tutti i membri del gruppo.",
  "No topics yet.": "Ancora nessun argomento.",
  "Topic picture": "Foto dell’argomento",
  "This topic has been removed.": "Questo argomento è stato eliminato.",
  "This topic": "Questo argomento",
  "In the topic {topic}": "Nell’argomento {topic}",
  "Topic of {group}": "Argomento di {group}",
};
