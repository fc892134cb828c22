/** The French catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const FRENCH_TOPICS = {
  "Topics of {name}": "Sujets de {name}",
  "Only the owner and admins can post in this topic.":
    "Seuls le propriétaire et les administrateurs publient dans ce sujet.",
  "Mute this topic": "Mettre ce sujet en sourdine",
  "{name} made a topic.": "{name} a créé un sujet.",
  "{name} changed a topic.": "{name} a modifié un sujet.",
  "{name} removed a topic.": "{name} a supprimé un sujet.",
  "{name} created the topic {topic}.": "{name} a créé le sujet {topic}.",
  "{name} removed the topic {topic}.": "{name} a supprimé le sujet {topic}.",
  "{name} renamed the topic {topic} to {other}.": "{name} a renommé le sujet {topic} en {other}.",
  "{name} changed what the topic {topic} is about: {words}":
    "{name} a changé la description du sujet {topic} : {words}",
  "{name} removed the description of the topic {topic}.": "{name} a retiré la description du sujet {topic}.",
  "{name} changed the picture of the topic {topic}.": "{name} a changé l’image du sujet {topic}.",
  "{name} changed the type of the topic {topic} to private.":
    "{name} a changé le type du sujet {topic} en privé.",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} a changé le type du sujet {topic} en annonces.",
  Topics: "Sujets",
  "Who can post": "Qui peut publier",
  "All members": "Tous les membres",
  "Only the owner and admins": "Seulement le propriétaire et les administrateurs",
  "New topic": "Nouveau sujet",
  "Make a topic": "Créer un sujet",
  "Edit topic": "Modifier le sujet",
  "Remove the topic {name}?": "Supprimer le sujet {name} ?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "Le sujet et tous ses messages sont supprimés définitivement pour tout le groupe.",
  "Remove topic": "Supprimer le sujet",
  "A topic is a conversation of its own for all members of the group.":
    "Un sujet est une conversation à part pour tous les membres du groupe.",
  "No topics yet.": "Aucun sujet pour le moment.",
  "Topic picture": "Image du sujet",
  "This topic has been removed.": "Ce sujet a été supprimé.",
  "This topic": "Ce sujet",
  "In the topic {topic}": "Dans le sujet {topic}",
  "Topic of {group}": "Sujet de {group}",
};
