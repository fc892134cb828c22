/** The German catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const GERMAN_TOPICS = {
  "Topics of {name}": "Themen von {name}",
  "Only the owner and admins can post in this topic.": "In diesem Thema schreiben nur Eigentümer und Admins.",
  "Mute this topic": "Dieses Thema stummschalten",
  "{name} made a topic.": "{name} hat ein Thema angelegt.",
  "{name} changed a topic.": "{name} hat ein Thema geändert.",
  "{name} removed a topic.": "{name} hat ein Thema entfernt.",
  "{name} created the topic {topic}.": "{name} hat das Thema {topic} angelegt.",
  "{name} removed the topic {topic}.": "{name} hat das Thema {topic} entfernt.",
  "{name} renamed the topic {topic} to {other}.": "{name} hat das Thema {topic} in {other} umbenannt.",
  "{name} changed what the topic {topic} is about: {words}":
    "{name} hat geändert, worum es im Thema {topic} geht: {words}",
  "{name} removed the description of the topic {topic}.":
    "{name} hat die Beschreibung des Themas {topic} entfernt.",
  "{name} changed the picture of the topic {topic}.": "{name} hat das Bild des Themas {topic} geändert.",
  "{name} changed the type of the topic {topic} to private.":
    "{name} hat die Art des Themas {topic} zu „privat“ geändert.",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} hat die Art des Themas {topic} zu „Ankündigungen“ geändert.",
  Topics: "Themen",
  "Who can post": "Wer schreiben kann",
  "All members": "Alle Mitglieder",
  "Only the owner and admins": "Nur Eigentümer und Admins",
  "New topic": "Neues Thema",
  "Make a topic": "Thema anlegen",
  "Edit topic": "Thema bearbeiten",
  "Remove the topic {name}?": "Das Thema {name} entfernen?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "Das Thema und alle seine Nachrichten werden für alle in der Gruppe endgültig gelöscht.",
  "Remove topic": "Thema entfernen",
  "A topic is a conversation of its own for all members of the group.":
    "Ein Thema ist eine eigene Unterhaltung für alle Mitglieder der Gruppe.",
  "No topics yet.": "Noch keine Themen.",
  "Topic picture": "Bild des Themas",
  "This topic has been removed.": "Dieses Thema wurde entfernt.",
  "This topic": "Dieses Thema",
  "In the topic {topic}": "Im Thema {topic}",
  "Topic of {group}": "Thema von {group}",
};
