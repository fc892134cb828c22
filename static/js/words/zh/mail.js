/** Chinese: the texts of the pages behind links in mails, and of the second factor, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "至少 8 个字符。你会在其他所有设备上退出登录。",
  "Back to log in": "返回登录",
  "Forgot your password?": "忘记密码？",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "如果有使用此地址的账号，一封带有链接的邮件会随即发出。链接 30 分钟内有效，只能使用一次。",
  "Request a new link": "请求新链接",
  "Send link": "发送链接",
  "Set a new password": "设置新密码",
  "Set password and log in": "设置密码并登录",
  "This link was used already, or is too old.": "此链接已被使用或已过期。",
  "This server sends no mail. Ask for a link: {contact}":
    "此服务器不发送邮件。请联系以下方式获取链接：{contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "此服务器不发送邮件。请向服务器的运营者索取链接。",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "已在所有设备上退出登录。带有设置新密码链接的邮件已发出。",
  "It was not me": "不是我本人操作",
  "Log out everywhere and send a link": "全部退出登录并发送链接",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "可能有其他人知道你的密码。此操作会在所有设备上退出登录、使该密码失效，并向你发送设置新密码的链接。",
  "A mail with a link is on its way.": "带有链接的邮件已发出。",
  "Confirm address": "确认地址",
  "Confirm your email address": "确认你的邮箱地址",
  "Go to the conversations": "前往对话",
  "Send the mail again": "重新发送邮件",
  "{address} becomes your address once you open the link in the mail to it.":
    "打开发送到 {address} 的邮件中的链接后，它将成为你的地址。",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} 尚未确认。请打开发送到该地址的邮件中的链接。",
  "{email} is confirmed.": "{email} 已确认。",
  "Two-factor log-in": "两步验证",
  "Trusted devices": "受信任的设备",
  "Set up one-time codes": "设置一次性验证码",
  "No code needed until ": "在此之前无需验证码：",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "登录只需要密码。使用应用生成的一次性验证码可以更好地保护登录。",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "登录需要应用生成的一次性验证码。你已没有剩余的恢复码。",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "登录需要应用生成的一次性验证码。剩余恢复码：{left}。",
  "Scan this with an authenticator app, or type the key into it.":
    "用身份验证器应用扫描此二维码，或在应用中输入密钥。",
  "QR code of the key": "密钥的二维码",
  key: "密钥",
  "recovery codes": "恢复码",
  "Please confirm that it is you.": "请确认是你本人。",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "请妥善保存这些恢复码。每个恢复码可以代替一次性验证码使用一次。它们不会再次显示。",
  "Enter the code.": "请输入验证码。",
  "Two-factor log-in is on.": "两步验证已打开。",
  "Two-factor log-in is off.": "两步验证已关闭。",
  "Turn off two-factor log-in?": "关闭两步验证？",
  "Recovery codes and trusted devices end too.": "恢复码和受信任的设备也会失效。",
  "The six digits that the app shows.": "应用显示的六位数字。",
  "The six digits of your authenticator app, or a recovery code.": "身份验证器应用的六位数字，或一个恢复码。",
  "This server asks for a second factor. Set one up in your account.":
    "此服务器要求两步验证。请在账号中设置。",
  "This server asks for a second factor. Set it up by {date}.": "此服务器要求两步验证。设置期限：{date}。",
  "This server asks for a second factor. Set it up now.": "此服务器要求两步验证。请立即设置。",
  "Who must have a second factor": "谁必须使用两步验证",
  "People who have none get 14 days to set up one-time codes.": "尚未设置的人有 14 天时间设置一次性验证码。",
  "Nobody has to have one": "不作要求",
  Operators: "运营者",
  "This server asks operators for a second factor. These pages open once you have one.":
    "此服务器要求运营者使用两步验证。设置后即可打开这些页面。",
  "Set up a second factor": "设置两步验证",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "此服务器要求所有人使用两步验证。设置后即可打开你的对话。",
  "A server that asks for a second factor will ask you to set one up again.":
    "要求两步验证的服务器会让你重新设置。",
  "Trust this device": "信任此设备",
  "For 30 days, log-ins here need no code.": "30 天内，在此设备上登录无需验证码。",
  "This log-in has expired. Log in again.": "此次登录已过期。请重新登录。",
  "This code is wrong or was used already.": "验证码错误或已被使用。",
  "Enter your code": "输入你的验证码",
  Code: "验证码",
  Continue: "继续",
  Download: "下载",
  "Log out everywhere else": "在其他所有设备上退出登录",
  "Log out everywhere else?": "在其他所有设备上退出登录？",
  "Every other session ends at once. Applications keep their access.":
    "其他所有会话会立即结束。应用仍可继续访问。",
  "All other sessions were logged out.": "其他所有会话均已退出登录。",
  "Log in with {provider}": "使用 {provider} 登录",
  "Logging in…": "正在登录…",
  "Link and log in": "关联并登录",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "已有使用地址 {email} 的账号。输入一次它的密码，即可使用 {provider} 登录该账号。",
  "Wrong password or code.": "密码或验证码错误。",
  "Single sign-on": "单点登录",
  "Accounts elsewhere with which you log in here.": "用于在这里登录的外部账号。",
  "Link an account at {provider}": "关联 {provider} 账号",
  "Confirm that it is you": "确认是你本人",
  "Confirm at {provider}": "通过 {provider} 确认",
  "Unlink {it}?": "取消关联 {it}？",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "你将无法再用此账号登录。通过它开始的其他会话会结束。",
  Unlink: "取消关联",
  "Unlink: {it}": "取消关联：{it}",
  "This is the only way to log in. Set a password first.": "这是唯一的登录方式。请先设置密码。",
  "New recovery codes": "新恢复码",
  "The former recovery codes end.": "之前的恢复码会失效。",
  "Your recovery codes were replaced.": "你的恢复码已更换。",
  "Acts of operators": "运营者的操作",
  "What operators of this server did to your account, and why.":
    "此服务器的运营者对你的账号执行过的操作及其原因。",
  "on the server's machine": "在服务器上操作",
  "Turn these mails off": "不再接收此类邮件",
  "This link belongs to another address. Turn the mails off in your account.":
    "此链接属于另一个地址。请在账号中关闭这些邮件。",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "你将不再收到关于未读消息的邮件。可以在账号中重新开启。",
  "Mails about unread messages": "未读消息邮件",
  "After half an hour, when I am away": "我离开半小时后",
  "Once a day": "每天一次",
  "Once a week": "每周一次",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "私信、提及和回复。不包括已静音的会话。",
  "Only addresses of certain domains may register.": "只有特定域名的地址可以注册。",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "只有特定域名的地址可以注册。系统会通过邮件确认你的地址。",
  "Addresses of {domains} may register. A mail confirms yours.":
    "{domains} 的地址可以注册。系统会通过邮件确认你的地址。",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "邮件正在发往 {address}。请在 7 天内打开其中的链接，之后即可登录。",
  "Confirm your address first, with the link in the mail.": "请先用邮件中的链接确认你的地址。",
  "The one that you chose when you created the account.": "你创建账号时设置的密码。",
  "Who confirms an address of certain domains": "确认了特定域名地址的人",
  "Domains whose addresses may register": "可以注册的地址的域名",
  "Like example.org, example.com": "例如 example.org, example.com",
  "Show the domains": "显示域名",
  "Enter a domain, like example.org.": "请输入域名，例如 example.org。",
  "Waits for the confirmation of the address": "等待确认地址",
  "Can be used": "可否使用",
  "Who are you, and why do you want an account?": "你是谁？为什么想要账号？",
  "The operators of this server read it, and decide.": "此服务器的运营者会阅读并决定。",
  "Write a sentence about yourself.": "请写一句话介绍自己。",
  "Your request was sent. You can log in once the operators approve it.":
    "你的申请已发送。运营者批准后即可登录。",
  "The operators have not approved this account yet. You can log in once they do.":
    "运营者尚未批准此账号。批准后即可登录。",
  "You are invited. Create an account.": "你已受邀。请创建账号。",
  "You are invited to {place}. Create an account.": "你受邀加入 {place}。请创建账号。",
  "You are invited. This server creates no accounts with a password.":
    "你已受邀。此服务器不创建使用密码的账号。",
  "This invitation was used up or has ended. Ask for a new one.": "此邀请已用完或已结束。请索取新的邀请。",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "此邀请不存在。请检查地址，或索取新的邀请。",
  "You need an invitation to create an account.": "创建账号需要邀请。",
  "You need an invitation to create an account. Ask the operators of this server.":
    "创建账号需要邀请。请联系此服务器的运营者。",
  "You need an invitation to create an account. Ask for one: {contact}":
    "创建账号需要邀请。请联系：{contact}",
};
