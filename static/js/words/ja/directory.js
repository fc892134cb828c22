/** Japanese: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_DIRECTORY = {
  "Find groups": "グループを探す",
  "Name or description": "名前または説明",
  "Groups in the directory": "ディレクトリのグループ",
  "Your requests to join": "参加リクエスト",
  Withdraw: "取り消す",
  "Withdraw your request to join {name}": "{name}への参加リクエストを取り消す",
  Denied: "拒否されました",
  "You were removed": "削除されました",
  Join: "参加",
  "Join {name}": "{name}に参加",
  "Ask to join {name}": "{name}への参加をリクエスト",
  Open: "開く",
  "Open {name}": "{name}を開く",
  "This server has no directory of groups.": "このサーバーにはグループのディレクトリがありません。",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "メンバーにはあなたの名前と写真が表示され、あなたはメッセージを読めるようになります。いつでも退出できます。",
  "List the group in the directory": "グループをディレクトリに掲載",
  "Everybody on this server finds it, and joins or asks to join.":
    "このサーバーの全員が見つけられ、参加または参加リクエストができます。",
  "{name} listed the group in the directory.": "{name}さんがグループをディレクトリに掲載しました。",
  "{name} took the group out of the directory.": "{name}さんがグループをディレクトリから外しました。",
  "Directory of groups": "グループのディレクトリ",
  "On: people find groups that want to be found": "オン: 掲載を希望するグループを探せます",
  Guest: "ゲスト",
  Guests: "ゲスト",
  "People without an account become guests": "アカウントのない人はゲストになります",
  "Guests see only their groups. Their accounts end with the invite.":
    "ゲストには自分のグループだけが表示されます。アカウントは招待とともに終了します。",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "グループに招待されています。参加するには、ログインするかゲストアカウントを作成してください。",
  "On: invites of groups may make guests": "オン：グループの招待でゲストを受け入れられます",
  "Make a member": "メンバーにする",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name}さんはメンバーになります。アカウントの期限はなくなり、ほかの人と同じことができます。",
  "Guest made a member": "ゲストをメンバーに変更",
};
