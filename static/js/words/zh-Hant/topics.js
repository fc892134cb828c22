/** The Traditional Chinese catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_TOPICS = {
  "Topics of {name}": "{name} 的話題",
  "Only the owner and admins can post in this topic.": "只有擁有者和管理員可以在此話題中發言。",
  "Mute this topic": "將此話題設為靜音",
  "{name} made a topic.": "{name} 建立了話題。",
  "{name} changed a topic.": "{name} 變更了話題。",
  "{name} removed a topic.": "{name} 刪除了話題。",
  "{name} created the topic {topic}.": "{name} 建立了話題「{topic}」。",
  "{name} removed the topic {topic}.": "{name} 刪除了話題「{topic}」。",
  "{name} renamed the topic {topic} to {other}.": "{name} 將話題「{topic}」改名為「{other}」。",
  "{name} changed what the topic {topic} is about: {words}": "{name} 變更了話題「{topic}」的簡介：{words}",
  "{name} removed the description of the topic {topic}.": "{name} 刪除了話題「{topic}」的簡介。",
  "{name} changed the picture of the topic {topic}.": "{name} 變更了話題「{topic}」的圖片。",
  "{name} changed the type of the topic {topic} to private.": "{name} 將話題「{topic}」的類型改為「私密」。",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name} 將話題「{topic}」的類型改為「公告」。",
  Topics: "話題",
  "Who can post": "誰可以發言",
  "All members": "所有成員",
  "Only the owner and admins": "僅擁有者和管理員",
  "New topic": "新增話題",
  "Make a topic": "建立話題",
  "Edit topic": "編輯話題",
  "Remove the topic {name}?": "要刪除話題「{name}」嗎？",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "話題及其所有訊息將為群組中的所有人永久刪除。",
  "Remove topic": "刪除話題",
  "A topic is a conversation of its own for all members of the group.": "話題是群組所有成員的一個獨立對話。",
  "No topics yet.": "還沒有話題。",
  "Topic picture": "話題圖片",
  "This topic has been removed.": "此話題已被刪除。",
  "This topic": "此話題",
  "In the topic {topic}": "在話題「{topic}」中",
  "Topic of {group}": "{group} 的話題",
};
