/** Japanese: the texts of the pages behind links in mails, and of the second factor, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "8文字以上。ほかのすべてのデバイスからログアウトされます。",
  "Back to log in": "ログインに戻る",
  "Forgot your password?": "パスワードを忘れた場合",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "このアドレスのアカウントがあれば、リンクを記載したメールが届きます。リンクは30分以内に1回だけ使えます。",
  "Request a new link": "新しいリンクを申請",
  "Send link": "リンクを送信",
  "Set a new password": "新しいパスワードを設定",
  "Set password and log in": "パスワードを設定してログイン",
  "This link was used already, or is too old.": "このリンクは使用済みか、期限切れです。",
  "This server sends no mail. Ask for a link: {contact}":
    "このサーバーはメールを送信しません。リンクはこちらに問い合わせてください: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "このサーバーはメールを送信しません。リンクはサーバーの運営者に問い合わせてください。",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "すべてのデバイスからログアウトしました。新しいパスワードを設定するリンクをメールで送信しました。",
  "It was not me": "身に覚えがない場合",
  "Log out everywhere and send a link": "すべてログアウトしてリンクを送信",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "ほかの人があなたのパスワードを知っている可能性があります。この操作は、すべてのデバイスからログアウトし、そのパスワードを無効にして、新しいパスワードを設定するリンクを送信します。",
  "A mail with a link is on its way.": "リンクを記載したメールを送信しました。",
  "Confirm address": "アドレスを確認",
  "Confirm your email address": "メールアドレスの確認",
  "Go to the conversations": "会話に移動",
  "Send the mail again": "メールを再送信",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address}に届いたメールのリンクを開くと、このアドレスに変更されます。",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address}はまだ確認されていません。届いたメールのリンクを開いてください。",
  "{email} is confirmed.": "{email}を確認しました。",
  "Two-factor log-in": "2段階認証",
  "Trusted devices": "信頼できるデバイス",
  "Set up one-time codes": "ワンタイムコードを設定",
  "No code needed until ": "次の日時までコード不要: ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "ログインに必要なのはパスワードだけです。アプリのワンタイムコードを使うと、より安全になります。",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "ログインにはアプリのワンタイムコードが必要です。リカバリーコードは残っていません。",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "ログインにはアプリのワンタイムコードが必要です。残りのリカバリーコード: {left}",
  "Scan this with an authenticator app, or type the key into it.":
    "認証アプリでこれをスキャンするか、アプリにキーを入力してください。",
  "QR code of the key": "キーのQRコード",
  key: "キー",
  "recovery codes": "リカバリーコード",
  "Please confirm that it is you.": "本人確認をしてください。",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "このリカバリーコードを保管してください。それぞれ1回だけ、ワンタイムコードの代わりに使えます。再び表示されることはありません。",
  "Enter the code.": "コードを入力してください。",
  "Two-factor log-in is on.": "2段階認証はオンです。",
  "Two-factor log-in is off.": "2段階認証はオフです。",
  "Turn off two-factor log-in?": "2段階認証をオフにしますか？",
  "Recovery codes and trusted devices end too.": "リカバリーコードと信頼できるデバイスも無効になります。",
  "The six digits that the app shows.": "アプリに表示される6桁の数字です。",
  "The six digits of your authenticator app, or a recovery code.":
    "認証アプリの6桁の数字、またはリカバリーコードです。",
  "This server asks for a second factor. Set one up in your account.":
    "このサーバーでは2段階認証が必要です。アカウントで設定してください。",
  "This server asks for a second factor. Set it up by {date}.":
    "このサーバーでは2段階認証が必要です。設定の期限: {date}",
  "This server asks for a second factor. Set it up now.":
    "このサーバーでは2段階認証が必要です。今すぐ設定してください。",
  "Who must have a second factor": "2段階認証が必要な人",
  "People who have none get 14 days to set up one-time codes.":
    "設定していない人には、ワンタイムコードを設定するまで14日間の猶予があります。",
  "Nobody has to have one": "誰にも必須にしない",
  Operators: "運営者",
  "This server asks operators for a second factor. These pages open once you have one.":
    "このサーバーでは運営者に2段階認証が必要です。設定すると、これらのページを開けます。",
  "Set up a second factor": "2段階認証を設定",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "このサーバーでは全員に2段階認証が必要です。設定すると、会話を開けます。",
  "A server that asks for a second factor will ask you to set one up again.":
    "2段階認証が必要なサーバーでは、もう一度設定を求められます。",
  "Trust this device": "このデバイスを信頼する",
  "For 30 days, log-ins here need no code.": "30日間、このデバイスでのログインにはコードが不要になります。",
  "This log-in has expired. Log in again.": "このログインは期限切れです。もう一度ログインしてください。",
  "This code is wrong or was used already.": "コードが間違っているか、使用済みです。",
  "Enter your code": "コードを入力",
  Code: "コード",
  Continue: "続ける",
  Download: "ダウンロード",
  "Log out everywhere else": "ほかのすべてのデバイスからログアウト",
  "Log out everywhere else?": "ほかのすべてのデバイスからログアウトしますか？",
  "Every other session ends at once. Applications keep their access.":
    "ほかのすべてのセッションがただちに終了します。アプリのアクセスは続きます。",
  "All other sessions were logged out.": "ほかのすべてのセッションからログアウトしました。",
  "Log in with {provider}": "{provider}でログイン",
  "Logging in…": "ログイン中…",
  "Link and log in": "リンクしてログイン",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "アドレス{email}のアカウントがすでにあります。{provider}でログインするには、そのアカウントのパスワードを1回だけ入力してください。",
  "Wrong password or code.": "パスワードまたはコードが間違っています。",
  "Single sign-on": "シングルサインオン",
  "Accounts elsewhere with which you log in here.": "ここへのログインに使う外部のアカウントです。",
  "Link an account at {provider}": "{provider}のアカウントをリンク",
  "Confirm that it is you": "本人確認",
  "Confirm at {provider}": "{provider}で確認",
  "Unlink {it}?": "{it}のリンクを解除しますか？",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "このアカウントではログインできなくなります。このアカウントで始めたほかのセッションは終了します。",
  Unlink: "リンクを解除",
  "Unlink: {it}": "リンクを解除: {it}",
  "This is the only way to log in. Set a password first.":
    "ログイン方法はこれだけです。先にパスワードを設定してください。",
  "New recovery codes": "新しいリカバリーコード",
  "The former recovery codes end.": "以前のリカバリーコードは使えなくなります。",
  "Your recovery codes were replaced.": "リカバリーコードを新しくしました。",
  "Acts of operators": "運営者による操作",
  "What operators of this server did to your account, and why.":
    "このサーバーの運営者があなたのアカウントに対して行った操作と、その理由です。",
  "on the server's machine": "サーバー上で操作",
  "Turn these mails off": "このメールの配信を停止",
  "This link belongs to another address. Turn the mails off in your account.":
    "このリンクは別のアドレスのものです。アカウントでメールをオフにしてください。",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "未読メッセージのメールは届かなくなります。アカウントでオンにできます。",
  "Mails about unread messages": "未読メッセージのメール",
  "After half an hour, when I am away": "不在のとき、30分後",
  "Once a day": "1日1回",
  "Once a week": "週1回",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "ダイレクトメッセージ、メンション、返信が対象です。ミュートした会話は含まれません。",
  "Only addresses of certain domains may register.": "登録できるのは特定のドメインのアドレスだけです。",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "登録できるのは特定のドメインのアドレスだけです。メールでアドレスを確認します。",
  "Addresses of {domains} may register. A mail confirms yours.":
    "{domains}のアドレスで登録できます。メールでアドレスを確認します。",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "{address}にメールを送信しました。7日以内にリンクを開くと、ログインできます。",
  "Confirm your address first, with the link in the mail.":
    "まず、メールのリンクでアドレスを確認してください。",
  "The one that you chose when you created the account.": "アカウントの作成時に決めたパスワードです。",
  "Who confirms an address of certain domains": "特定のドメインのアドレスを確認した人",
  "Domains whose addresses may register": "登録できるアドレスのドメイン",
  "Like example.org, example.com": "例：example.org, example.com",
  "Show the domains": "ドメインを表示する",
  "Enter a domain, like example.org.": "example.orgのようなドメインを入力してください。",
  "Waits for the confirmation of the address": "アドレスの確認待ち",
  "Can be used": "利用の可否",
  "Who are you, and why do you want an account?": "あなたはどなたで、なぜアカウントが必要ですか？",
  "The operators of this server read it, and decide.": "このサーバーの運営者が読んで判断します。",
  "Write a sentence about yourself.": "自己紹介を一文書いてください。",
  "Your request was sent. You can log in once the operators approve it.":
    "申請を送信しました。運営者が承認するとログインできます。",
  "The operators have not approved this account yet. You can log in once they do.":
    "このアカウントはまだ運営者に承認されていません。承認されるとログインできます。",
  "You are invited. Create an account.": "招待されています。アカウントを作成してください。",
  "You are invited to {place}. Create an account.":
    "{place}に招待されています。アカウントを作成してください。",
  "You are invited. This server creates no accounts with a password.":
    "招待されています。このサーバーではパスワード付きのアカウントを作成できません。",
  "This invitation was used up or has ended. Ask for a new one.":
    "この招待は使い切られたか、終了しています。新しい招待を依頼してください。",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "この招待は存在しません。アドレスを確認するか、新しい招待を依頼してください。",
  "You need an invitation to create an account.": "アカウントの作成には招待が必要です。",
  "You need an invitation to create an account. Ask the operators of this server.":
    "アカウントの作成には招待が必要です。このサーバーの運営者に依頼してください。",
  "You need an invitation to create an account. Ask for one: {contact}":
    "アカウントの作成には招待が必要です。依頼先：{contact}",
};
