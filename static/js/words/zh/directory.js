/** Chinese in simplified characters: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_DIRECTORY = {
  "Find groups": "查找群组",
  "Name or description": "名称或描述",
  "Groups in the directory": "目录中的群组",
  "Your requests to join": "你的加入申请",
  Withdraw: "撤回",
  "Withdraw your request to join {name}": "撤回加入 {name} 的申请",
  Denied: "已拒绝",
  "You were removed": "你已被移除",
  Join: "加入",
  "Join {name}": "加入 {name}",
  "Ask to join {name}": "申请加入 {name}",
  Open: "打开",
  "Open {name}": "打开 {name}",
  "This server has no directory of groups.": "此服务器没有群组目录。",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "成员会看到你的名字和头像，你会看到他们的消息。你可以随时退出。",
  "List the group in the directory": "在目录中列出群组",
  "Everybody on this server finds it, and joins or asks to join.":
    "此服务器上的所有人都能找到它，并加入或申请加入。",
  "{name} listed the group in the directory.": "{name} 将群组列入目录。",
  "{name} took the group out of the directory.": "{name} 将群组移出目录。",
  "Directory of groups": "群组目录",
  "On: people find groups that want to be found": "开启：可以找到愿意被找到的群组",
  Guest: "访客",
  Guests: "访客",
  "People without an account become guests": "没有账号的人将成为访客",
  "Guests see only their groups. Their accounts end with the invite.":
    "访客只能看到自己的群组。其账号随邀请一同结束。",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "你受邀加入一个群组。请登录或创建访客账号以加入。",
  "On: invites of groups may make guests": "开启：群组邀请可以接收访客",
  "Make a member": "设为成员",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} 将成为成员：账号不再到期，可以做其他人能做的事。",
  "Guest made a member": "访客已设为成员",
};
