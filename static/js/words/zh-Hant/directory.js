/** Chinese in traditional characters: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_DIRECTORY = {
  "Find groups": "尋找群組",
  "Name or description": "名稱或描述",
  "Groups in the directory": "目錄中的群組",
  "Your requests to join": "你的加入申請",
  Withdraw: "撤回",
  "Withdraw your request to join {name}": "撤回加入 {name} 的申請",
  Denied: "已拒絕",
  "You were removed": "你已被移除",
  Join: "加入",
  "Join {name}": "加入 {name}",
  "Ask to join {name}": "申請加入 {name}",
  Open: "開啟",
  "Open {name}": "開啟 {name}",
  "This server has no directory of groups.": "此伺服器沒有群組目錄。",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "成員會看到你的名字和大頭貼，你會看到他們的訊息。你可以隨時退出。",
  "List the group in the directory": "在目錄中列出群組",
  "Everybody on this server finds it, and joins or asks to join.":
    "此伺服器上的所有人都能找到它，並加入或申請加入。",
  "{name} listed the group in the directory.": "{name} 將群組列入目錄。",
  "{name} took the group out of the directory.": "{name} 將群組移出目錄。",
  "Directory of groups": "群組目錄",
  "On: people find groups that want to be found": "開啟：可以找到願意被找到的群組",
  Guest: "訪客",
  Guests: "訪客",
  "People without an account become guests": "沒有帳號的人將成為訪客",
  "Guests see only their groups. Their accounts end with the invite.":
    "訪客只能看到自己的群組。其帳號隨邀請一同結束。",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "你受邀加入一個群組。請登入或建立訪客帳號以加入。",
  "On: invites of groups may make guests": "開啟：群組邀請可以接收訪客",
  "Make a member": "設為成員",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} 將成為成員：帳號不再到期，可以做其他人能做的事。",
  "Guest made a member": "訪客已設為成員",
};
