/**
 * Japanese: the texts of the client, by the English ones. Those of its parts stand beside them.
 */

import { JAPANESE_ACTIONS } from "./actions.js";
import { JAPANESE_ADMIN } from "./admin.js";
import { JAPANESE_BOTS } from "./bots.js";
import { JAPANESE_CONVERSATION } from "./conversation.js";
import { JAPANESE_DIRECTORY } from "./directory.js";
import { JAPANESE_FOLDERS } from "./folders.js";
import { JAPANESE_LINES } from "./lines.js";
import { JAPANESE_MAIL } from "./mail.js";
import { JAPANESE_MENTIONS } from "./mentions.js";
import { JAPANESE_MODERATION } from "./moderation.js";
import { JAPANESE_MORE } from "./more.js";
import { JAPANESE_PASSKEYS } from "./passkeys.js";
import { JAPANESE_RULES } from "./rules.js";
import { JAPANESE_SAVED } from "./saved.js";
import { JAPANESE_TOKENS } from "./tokens.js";
import { JAPANESE_TOPICS } from "./topics.js";
import { JAPANESE_WINDOWS } from "./windows.js";

/** @type {import("../words.js").Catalogue} */
export const JAPANESE = {
  ...JAPANESE_ACTIONS,
  ...JAPANESE_ADMIN,
  ...JAPANESE_BOTS,
  ...JAPANESE_CONVERSATION,
  ...JAPANESE_DIRECTORY,
  ...JAPANESE_FOLDERS,
  ...JAPANESE_LINES,
  ...JAPANESE_MAIL,
  ...JAPANESE_MODERATION,
  ...JAPANESE_MORE,
  ...JAPANESE_PASSKEYS,
  ...JAPANESE_RULES,
  ...JAPANESE_MENTIONS,
  ...JAPANESE_SAVED,
  ...JAPANESE_TOKENS,
  ...JAPANESE_TOPICS,
  ...JAPANESE_WINDOWS,
  " You see the messages stored on this device: {when}.":
    " このデバイスに保存されたメッセージを表示しています: {when}",
  "{count} replies": "返信{count}件",
  "{count} characters; {MOST} are allowed.": "{count}文字です。{MOST}文字まで入力できます。",
  "{count} earlier messages are waiting to be sent": "送信待ちのメッセージがほかに{count}件あります",
  "{count} people are typing…": "{count}人が入力中…",
  "Draft: ": "下書き: ",
  "{it} and {it2} are typing…": "{it}と{it2}が入力中…",
  "{it} commands": "コマンド{it}件",
  "{it} is typing…": "{it}が入力中…",
  "{it} too many": "{it}文字超過",
  "{left} left": "残り{left}文字",
  "{missed} new messages": "新着メッセージ{missed}件",
  "No connection: only messages on this device were searched.":
    "オフラインのため、このデバイスにあるメッセージだけを検索しました。",
  "Nothing was found.": "見つかりませんでした。",
  "{said} and {count} more": "{said}、ほか{count}人",
  "1 reply": "返信1件",
  "1 earlier message is waiting to be sent": "送信待ちのメッセージがほかに1件あります",
  "1 new message": "新着メッセージ1件",
  "A file": "ファイル",
  "A place": "位置情報",
  "About {name}": "{name}の詳細",
  "Account · Coterie": "アカウント · Coterie",
  "Add a picture or file": "画像やファイルを追加",
  "An admin deleted this message": "管理者がこのメッセージを削除しました",
  "An earlier message": "以前のメッセージ",
  Attachment: "添付ファイル",
  "Bots · Coterie": "ボット · Coterie",
  Cancel: "キャンセル",
  "Catching up…": "同期中…",
  "Choose a conversation to read and write, or start a new group.":
    "会話を選んで読み書きするか、新しいグループを作成してください。",
  Close: "閉じる",
  Commands: "コマンド",
  Connected: "接続済み",
  "Connecting…": "接続中…",
  Conversation: "会話",
  Conversations: "会話",
  Copied: "コピーしました",
  Copy: "コピー",
  "Copy {label}": "{label}をコピー",
  "Copy link": "リンクをコピー",
  "Mark as unread": "未読にする",
  "Create a group": "グループを作成",
  "Create a group and add the people you want to talk to.":
    "グループを作成して、話したい人を追加しましょう。",
  "Delete this message?": "このメッセージを削除しますか？",
  "Direct messages": "ダイレクトメッセージ",
  "Do not reply": "返信をやめる",
  "Download {name}": "{name}をダウンロード",
  Edit: "編集",
  "Edit message": "メッセージを編集",
  "edited ": "編集済み ",
  Events: "イベント",
  Files: "ファイル",
  "Files to add": "追加するファイル",
  "Files to send": "送信するファイル",
  "Find a conversation": "会話を検索",
  Gallery: "ギャラリー",
  "Go to (Ctrl K)": "移動 (Ctrl K)",
  "Good to see you": "ようこそ",
  "In {group}, {words}": "{group}: {words}",
  "In reply to ": "返信先: ",
  "This was written more than a day ago. Send it anyway?":
    "このメッセージは1日以上前に書かれたものです。このまま送信しますか？",
  "Jump to the newest message": "最新のメッセージへ移動",
  "Drop files to add them": "ファイルをドロップして追加",
  "Loading newer messages…": "新しいメッセージを読み込み中…",
  "Loading older messages…": "以前のメッセージを読み込み中…",
  "Log out": "ログアウト",
  "Message to {name}": "{name}へのメッセージ",
  Messages: "メッセージ",
  "Muted ": "ミュート中 ",
  "New group": "新しいグループ",
  "New message": "新しいメッセージ",
  "New messages": "新着メッセージ",
  "No conversations yet.": "まだ会話がありません。",
  "No messages yet": "まだメッセージがありません",
  "Its content is removed for everyone. Its place and its likes stay.":
    "内容は全員の画面から削除されます。メッセージの位置と「いいね」は残ります。",
  "Not sent: ": "未送信: ",
  "Not sent. {why}": "送信できませんでした。{why}",
  "No results.": "結果はありません。",
  Offline: "オフライン",
  "Offline. Reconnecting…": "オフラインです。再接続中…",
  "Older messages could not be loaded. Try again":
    "以前のメッセージを読み込めませんでした。もう一度お試しください",
  "Older messages appear when you are connected.": "以前のメッセージは、接続すると表示されます。",
  Online: "オンライン",
  "Only the owner can hand the group over.": "グループを譲渡できるのはオーナーだけです。",
  "Only you so far": "メンバーはまだあなただけです",
  Picture: "画像",
  "Picture from you": "あなたの画像",
  Pin: "ピン留め",
  "Pinned ": "ピン留め済み ",
  "Pinned messages": "ピン留めしたメッセージ",
  Place: "場所",
  "Place: {name}": "場所: {name}",
  "Play {name}": "{name}を再生",
  Polls: "投票",
  React: "リアクション",
  "Remove {name}": "{name}を削除",
  Reply: "返信",
  "Enter a text, or delete the message.": "本文を入力するか、メッセージを削除してください。",
  "Send the first message, or add people to the group.":
    "最初のメッセージを送るか、グループにメンバーを追加しましょう。",
  "Send the first message. Only you and {name} can read it.":
    "最初のメッセージを送りましょう。読めるのはあなたと{name}さんだけです。",
  Seen: "既読",
  "Selected. Copy it with Ctrl+C.": "選択しました。Ctrl+Cでコピーしてください。",
  Send: "送信",
  Sending: "送信中",
  "Sends once uploaded": "アップロードが終わると送信されます",
  "Skip to the conversation": "会話へスキップ",
  Somebody: "だれか",
  Someone: "不明なユーザー",
  "Something went wrong. Try again.": "問題が発生しました。もう一度お試しください。",
  "This does not exist, or you have no access to it.": "存在しないか、アクセス権がありません。",
  "Too many requests. Try again in a moment.":
    "リクエストが多すぎます。しばらくしてからもう一度お試しください。",
  "The group could not be handed over.": "グループを譲渡できませんでした。",
  "The group is yours already.": "あなたはすでにこのグループのオーナーです。",
  "The group may have been deleted, or you are no longer a member of it.":
    "グループが削除されたか、あなたがメンバーではなくなった可能性があります。",
  "The server cannot be reached. Check your connection.":
    "サーバーに接続できません。接続を確認してください。",
  "The server has been updated. Reload this page to continue.":
    "サーバーが更新されました。続けるにはこのページを再読み込みしてください。",
  "The server is not available right now. Try again in a moment.":
    "現在サーバーを利用できません。しばらくしてからもう一度お試しください。",
  "The request failed ({status}).": "リクエストに失敗しました（{status}）。",
  "Chat not found": "チャットが見つかりません",
  "Group not found": "グループが見つかりません",
  "This is the beginning of the conversation.": "ここから会話が始まります。",
  "This message cannot be shown. It may be very old, or not be in this conversation.":
    "このメッセージは表示できません。かなり古いか、この会話にない可能性があります。",
  "This message is not on this device, and there is no connection.":
    "このメッセージはこのデバイスになく、サーバーにも接続されていません。",
  "This part of the page could not be loaded. Check your connection and try again.":
    "ページのこの部分を読み込めませんでした。接続を確認して、もう一度お試しください。",
  "This person is not in the group any more.": "この人はもうグループにいません。",
  "This takes longer than usual. The person will appear here once it is done.":
    "通常より時間がかかっています。完了すると、追加した人がここに表示されます。",
  "To you, {words}": "あなたへ: {words}",
  Today: "今日",
  "Try again": "再試行",
  Unblock: "ブロックを解除",
  Unpin: "ピン留めを外す",
  "Unread: ": "未読: ",
  "Uploading {name}": "{name}をアップロード中",
  "Uploading…": "アップロード中…",
  "Waiting. It will be sent automatically.": "待機中です。自動的に送信されます。",
  Yesterday: "昨日",
  "You are invited to a group. Log in or create an account to join it.":
    "グループに招待されています。参加するには、ログインするかアカウントを作成してください。",
  "You have been logged out. Log in again to continue.":
    "ログアウトされました。続けるにはもう一度ログインしてください。",
  "You share no group with this person, and have not written to each other yet.":
    "この人と共通のグループがなく、まだメッセージをやり取りしていません。",
  "Your like could not be saved. {why}": "「いいね」を保存できませんでした。{why}",
  "Your picture": "あなたの画像",
  "Your reaction could not be saved. {it}": "リアクションを保存できませんでした。{it}",
};
