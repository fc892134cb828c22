/** Chinese in traditional characters: the texts of cards, the composer and the head of a conversation, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const TRADITIONAL_CONVERSATION = {
  Video: "影片",
  "Your answer": "你的選擇",
  "Download the picture": "下載圖片",
  "Zoom in": "放大",
  "Zoom out": "縮小",
  "Withdraw my vote": "撤回我的投票",
  "One answer": "單選",
  "Several answers": "多選",
  "No votes yet": "還沒有人投票",
  "1 person voted": "1 人已投票",
  "{count} people voted": "{count} 人已投票",
  "Stop and listen": "停止並試聽",
  "Position in {name}": "{name} 的播放位置",
  "Pause {name}": "暫停 {name}",
  "Speed {speed}": "速度 {speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}，第 {at} 個，共 {count} 個。按方向鍵移動。",
  "This text is too long for a message.": "這段文字太長，無法作為訊息傳送。",
  "Send it as a file": "作為檔案傳送",
  "Add a caption": "新增說明",
  "You were mentioned": "有人提到了你",
  Sections: "區段",
  "Do you have an invitation link? Open it in this browser.": "你有邀請連結嗎？請在此瀏覽器中開啟。",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "建立新群組，並透過連結邀請他人。他們會看到你的名字和圖片。",
  "Set up your profile": "完成你的個人資料",
};
