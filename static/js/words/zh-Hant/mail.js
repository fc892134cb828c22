/** Chinese in traditional characters: the texts of the pages behind links in mails, and of the second factor, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_MAIL = {
  "At least 8 characters. You are logged out everywhere else.": "至少 8 個字元。你會在其他所有裝置上登出。",
  "Back to log in": "返回登入",
  "Forgot your password?": "忘記密碼？",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "如果有使用此地址的帳號，我們會隨即寄出含有連結的郵件。連結 30 分鐘內有效，只能使用一次。",
  "Request a new link": "索取新連結",
  "Send link": "寄送連結",
  "Set a new password": "設定新密碼",
  "Set password and log in": "設定密碼並登入",
  "This link was used already, or is too old.": "此連結已被使用或已過期。",
  "This server sends no mail. Ask for a link: {contact}":
    "此伺服器不寄送郵件。請透過以下方式索取連結：{contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "此伺服器不寄送郵件。請向伺服器的營運者索取連結。",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "已在所有裝置上登出。含有設定新密碼連結的郵件已寄出。",
  "It was not me": "不是我本人操作",
  "Log out everywhere and send a link": "全部登出並寄送連結",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "可能有其他人知道你的密碼。此操作會在所有裝置上登出、讓該密碼失效，並寄給你設定新密碼的連結。",
  "A mail with a link is on its way.": "含有連結的郵件已寄出。",
  "Confirm address": "確認地址",
  "Confirm your email address": "確認你的電子郵件地址",
  "Go to the conversations": "前往對話",
  "Send the mail again": "重新寄送郵件",
  "{address} becomes your address once you open the link in the mail to it.":
    "開啟寄到 {address} 的郵件中的連結後，它就會成為你的地址。",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} 尚未確認。請開啟寄到該地址的郵件中的連結。",
  "{email} is confirmed.": "{email} 已確認。",
  "Two-factor log-in": "兩步驟驗證",
  "Trusted devices": "信任的裝置",
  "Set up one-time codes": "設定一次性驗證碼",
  "No code needed until ": "在此之前無需驗證碼：",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "登入只需要密碼。使用應用程式產生的一次性驗證碼可以更好地保護登入。",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "登入需要應用程式產生的一次性驗證碼。你已沒有剩餘的復原碼。",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "登入需要應用程式產生的一次性驗證碼。剩餘復原碼：{left}。",
  "Scan this with an authenticator app, or type the key into it.":
    "用驗證器應用程式掃描此 QR 碼，或在應用程式中輸入金鑰。",
  "QR code of the key": "金鑰的 QR 碼",
  key: "金鑰",
  "recovery codes": "復原碼",
  "Please confirm that it is you.": "請確認是你本人。",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "請妥善儲存這些復原碼。每個復原碼可以代替一次性驗證碼使用一次。它們不會再次顯示。",
  "Enter the code.": "請輸入驗證碼。",
  "Two-factor log-in is on.": "兩步驟驗證已開啟。",
  "Two-factor log-in is off.": "兩步驟驗證已關閉。",
  "Turn off two-factor log-in?": "關閉兩步驟驗證？",
  "Recovery codes and trusted devices end too.": "復原碼和信任的裝置也會失效。",
  "The six digits that the app shows.": "應用程式顯示的六位數字。",
  "The six digits of your authenticator app, or a recovery code.": "驗證器應用程式的六位數字，或一個復原碼。",
  "This server asks for a second factor. Set one up in your account.":
    "此伺服器要求兩步驟驗證。請在帳號中設定。",
  "This server asks for a second factor. Set it up by {date}.": "此伺服器要求兩步驟驗證。設定期限：{date}。",
  "This server asks for a second factor. Set it up now.": "此伺服器要求兩步驟驗證。請立即設定。",
  "Who must have a second factor": "誰必須使用兩步驟驗證",
  "People who have none get 14 days to set up one-time codes.": "尚未設定的人有 14 天時間設定一次性驗證碼。",
  "Nobody has to have one": "不作要求",
  Operators: "營運者",
  "This server asks operators for a second factor. These pages open once you have one.":
    "此伺服器要求營運者使用兩步驟驗證。設定後即可開啟這些頁面。",
  "Set up a second factor": "設定兩步驟驗證",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "此伺服器要求所有人使用兩步驟驗證。設定後即可開啟你的對話。",
  "A server that asks for a second factor will ask you to set one up again.":
    "要求兩步驟驗證的伺服器會讓你重新設定。",
  "Trust this device": "信任此裝置",
  "For 30 days, log-ins here need no code.": "30 天內，在此裝置上登入無需驗證碼。",
  "This log-in has expired. Log in again.": "此次登入已過期。請重新登入。",
  "This code is wrong or was used already.": "驗證碼錯誤或已被使用。",
  "Enter your code": "輸入你的驗證碼",
  Code: "驗證碼",
  Continue: "繼續",
  Download: "下載",
  "Log out everywhere else": "在其他所有裝置上登出",
  "Log out everywhere else?": "在其他所有裝置上登出？",
  "Every other session ends at once. Applications keep their access.":
    "其他所有工作階段會立即結束。應用程式仍可繼續存取。",
  "All other sessions were logged out.": "其他所有工作階段均已登出。",
  "Log in with {provider}": "使用 {provider} 登入",
  "Logging in…": "正在登入…",
  "Link and log in": "連結並登入",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "已有使用地址 {email} 的帳號。輸入一次它的密碼，即可使用 {provider} 登入該帳號。",
  "Wrong password or code.": "密碼或驗證碼錯誤。",
  "Single sign-on": "單一登入",
  "Accounts elsewhere with which you log in here.": "用於在這裡登入的外部帳號。",
  "Link an account at {provider}": "連結 {provider} 帳號",
  "Confirm that it is you": "確認是你本人",
  "Confirm at {provider}": "透過 {provider} 確認",
  "Unlink {it}?": "解除連結 {it}？",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "你將無法再用此帳號登入。透過它開始的其他工作階段會結束。",
  Unlink: "解除連結",
  "Unlink: {it}": "解除連結：{it}",
  "This is the only way to log in. Set a password first.": "這是唯一的登入方式。請先設定密碼。",
  "New recovery codes": "新復原碼",
  "The former recovery codes end.": "之前的復原碼會失效。",
  "Your recovery codes were replaced.": "你的復原碼已更換。",
  "Acts of operators": "營運者的操作",
  "What operators of this server did to your account, and why.":
    "此伺服器的營運者對你的帳號執行過的操作及其原因。",
  "on the server's machine": "在伺服器上操作",
  "Turn these mails off": "不再接收這類郵件",
  "This link belongs to another address. Turn the mails off in your account.":
    "此連結屬於另一個地址。請在帳號中關閉這些郵件。",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "你將不再收到關於未讀訊息的郵件。可以在帳號中重新開啟。",
  "Mails about unread messages": "未讀訊息郵件",
  "After half an hour, when I am away": "我離開半小時後",
  "Once a day": "每天一次",
  "Once a week": "每週一次",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "私訊、提及和回覆。不包括已靜音的對話。",
  "Only addresses of certain domains may register.": "只有特定網域的地址可以註冊。",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "只有特定網域的地址可以註冊。系統會以郵件確認你的地址。",
  "Addresses of {domains} may register. A mail confirms yours.":
    "{domains} 的地址可以註冊。系統會以郵件確認你的地址。",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "郵件正寄往 {address}。請在 7 天內開啟其中的連結，之後即可登入。",
  "Confirm your address first, with the link in the mail.": "請先用郵件中的連結確認你的地址。",
  "The one that you chose when you created the account.": "你建立帳號時設定的密碼。",
  "Who confirms an address of certain domains": "確認了特定網域地址的人",
  "Domains whose addresses may register": "可以註冊的地址的網域",
  "Like example.org, example.com": "例如 example.org, example.com",
  "Show the domains": "顯示網域",
  "Enter a domain, like example.org.": "請輸入網域，例如 example.org。",
  "Waits for the confirmation of the address": "等待確認地址",
  "Can be used": "可否使用",
  "Who are you, and why do you want an account?": "你是誰？為什麼想要帳號？",
  "The operators of this server read it, and decide.": "此伺服器的營運者會閱讀並決定。",
  "Write a sentence about yourself.": "請寫一句話介紹自己。",
  "Your request was sent. You can log in once the operators approve it.":
    "你的申請已送出。營運者核准後即可登入。",
  "The operators have not approved this account yet. You can log in once they do.":
    "營運者尚未核准此帳號。核准後即可登入。",
  "You are invited. Create an account.": "你已受邀。請建立帳號。",
  "You are invited to {place}. Create an account.": "你受邀加入 {place}。請建立帳號。",
  "You are invited. This server creates no accounts with a password.":
    "你已受邀。此伺服器不建立使用密碼的帳號。",
  "This invitation was used up or has ended. Ask for a new one.": "此邀請已用完或已結束。請索取新的邀請。",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "此邀請不存在。請檢查地址，或索取新的邀請。",
  "You need an invitation to create an account.": "建立帳號需要邀請。",
  "You need an invitation to create an account. Ask the operators of this server.":
    "建立帳號需要邀請。請聯絡此伺服器的營運者。",
  "You need an invitation to create an account. Ask for one: {contact}":
    "建立帳號需要邀請。請聯絡：{contact}",
};
