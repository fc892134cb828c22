/** The Japanese catalogue of the topics of groups. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_TOPICS = {
  "Topics of {name}": "{name}のトピック",
  "Only the owner and admins can post in this topic.":
    "このトピックに投稿できるのは、オーナーと管理者だけです。",
  "Mute this topic": "このトピックをミュート",
  "{name} made a topic.": "{name}さんがトピックを作成しました。",
  "{name} changed a topic.": "{name}さんがトピックを変更しました。",
  "{name} removed a topic.": "{name}さんがトピックを削除しました。",
  "{name} created the topic {topic}.": "{name}さんがトピック「{topic}」を作成しました。",
  "{name} removed the topic {topic}.": "{name}さんがトピック「{topic}」を削除しました。",
  "{name} renamed the topic {topic} to {other}.":
    "{name}さんがトピック「{topic}」の名前を「{other}」に変更しました。",
  "{name} changed what the topic {topic} is about: {words}":
    "{name}さんがトピック「{topic}」の説明を変更しました: {words}",
  "{name} removed the description of the topic {topic}.":
    "{name}さんがトピック「{topic}」の説明を削除しました。",
  "{name} changed the picture of the topic {topic}.": "{name}さんがトピック「{topic}」の画像を変更しました。",
  "{name} changed the type of the topic {topic} to private.":
    "{name}さんがトピック「{topic}」の種類を「非公開」に変更しました。",
  "{name} changed the type of the topic {topic} to announcement.":
    "{name}さんがトピック「{topic}」の種類を「お知らせ」に変更しました。",
  Topics: "トピック",
  "Who can post": "投稿できる人",
  "All members": "すべてのメンバー",
  "Only the owner and admins": "オーナーと管理者だけ",
  "New topic": "新しいトピック",
  "Make a topic": "トピックを作成",
  "Edit topic": "トピックを編集",
  "Remove the topic {name}?": "トピック「{name}」を削除しますか?",
  "The topic and all its messages are deleted for everybody in the group, for good.":
    "トピックとそのすべてのメッセージが、グループの全員から完全に削除されます。",
  "Remove topic": "トピックを削除",
  "A topic is a conversation of its own for all members of the group.":
    "トピックは、グループのメンバー全員のための別の会話です。",
  "No topics yet.": "トピックはまだありません。",
  "Topic picture": "トピックの画像",
  "This topic has been removed.": "このトピックは削除されました。",
  "This topic": "このトピック",
  "In the topic {topic}": "トピック「{topic}」",
  "Topic of {group}": "{group}のトピック",
};
