/** Japanese: the texts of scopes and of tokens that people make, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_TOKENS = {
  "Read profiles and blocks": "プロフィールとブロックの表示",
  "Change your profile and blocks": "プロフィールとブロックの変更",
  "See groups and their members": "グループとメンバーの表示",
  "Create, join and leave groups": "グループの作成、参加、退出",
  "Manage groups and their members": "グループとメンバーの管理",
  "Read messages in groups": "グループのメッセージの表示",
  "Write in groups": "グループへの書き込み",
  "Read direct messages": "ダイレクトメッセージの表示",
  "Write direct messages": "ダイレクトメッセージの書き込み",
  "Manage your bots": "ボットの管理",
  "Manage notifications": "通知の管理",
  "Everything about your account": "アカウントのすべての操作",
  "Read as an operator": "運営者としての閲覧",
  "Moderate as an operator": "運営者としてのモデレーション",
  "Administer as an operator": "運営者としての管理",
  "In 7 days": "7日後",
  "In 30 days": "30日後",
  "In 90 days": "90日後",
  "As late as the server allows": "サーバーが許す最長の期限",
  Ends: "有効期限",
  "What the token may do": "トークンの権限",
  "New token": "新しいトークン",
  "Choose at least one.": "1つ以上選択してください。",
  token: "トークン",
  "Make a token": "トークンを作成",
  "Your tokens": "あなたのトークン",
  "With a token, a script does what you allow it. ":
    "トークンを使うと、スクリプトはあなたが許可した操作を行えます。",
  ", until ": "、期限: ",
  "May do {count} things": "権限{count}件",
  "What the application may ask for": "アプリが求めてよい権限",
  "Tick only what it needs: people see this list before they allow access.":
    "必要なものだけを選んでください。利用者はアクセスを許可する前にこの一覧を見ます。",
  "Everything that applications may do": "アプリに許されるすべて",
};
