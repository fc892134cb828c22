/** Chinese: the texts of cards, the composer and the head of a conversation, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const CHINESE_CONVERSATION = {
  Video: "视频",
  "Your answer": "你的选择",
  "Download the picture": "下载图片",
  "Zoom in": "放大",
  "Zoom out": "缩小",
  "Withdraw my vote": "撤回我的投票",
  "One answer": "单选",
  "Several answers": "多选",
  "No votes yet": "还没有人投票",
  "1 person voted": "1 人已投票",
  "{count} people voted": "{count} 人已投票",
  "Stop and listen": "停止并试听",
  "Position in {name}": "{name} 的播放位置",
  "Pause {name}": "暂停 {name}",
  "Speed {speed}": "速度 {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}，第 {at} 个，共 {count} 个。按方向键移动。",
  "This text is too long for a message.": "这段文字太长，无法作为消息发送。",
  "Send it as a file": "作为文件发送",
  "Add a caption": "添加说明",
  "You were mentioned": "有人提到了你",
  Sections: "版块",
  "Do you have an invitation link? Open it in this browser.": "你有邀请链接吗？请在此浏览器中打开。",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "新建群组，并通过链接邀请他人。他们会看到你的名字和图片。",
  "Set up your profile": "完善你的个人资料",
};
