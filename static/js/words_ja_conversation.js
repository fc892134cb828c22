/** Japanese: the texts of cards, the composer and the head of a conversation, by the English ones. */

/** @type {import("./words.js").Catalogue} */
export const JAPANESE_CONVERSATION = {
  Video: "動画",
  "Your answer": "あなたの回答",
  "Download the picture": "画像をダウンロード",
  "Zoom in": "拡大",
  "Zoom out": "縮小",
  "Withdraw my vote": "投票を取り消す",
  "One answer": "1つ選択",
  "Several answers": "複数選択可",
  "No votes yet": "まだ投票がありません",
  "1 person voted": "1人が投票",
  "{count} people voted": "{count}人が投票",
  "Stop and listen": "停止して聞く",
  "Position in {name}": "{name}の再生位置",
  "Pause {name}": "{name}を一時停止",
  "Speed {speed}": "速度{speed}",
  "{name}, {at} of {count}. The arrow keys move it.": "{name}、{count}件中{at}番目。矢印キーで移動できます。",
  "This text is too long for a message.": "このテキストはメッセージとしては長すぎます。",
  "Send it as a file": "ファイルとして送信",
  "Add a caption": "キャプションを追加",
  "You were mentioned": "あなたへのメンション",
  Sections: "セクション",
  "Do you have an invitation link? Open it in this browser.":
    "招待リンクをお持ちですか？このブラウザーで開いてください。",
  "Start a group and invite people to it by a link. They see your name and picture.":
    "グループを作成して、リンクで人を招待しましょう。あなたの名前と画像が相手に表示されます。",
  "Set up your profile": "プロフィールを設定",
};
