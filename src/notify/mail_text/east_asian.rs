//! The texts of mails in Japanese and Chinese.

use domain::mail::{MailKind, MailLanguage};

use super::{Sentences, missed, registration};

/// A mail in Japanese about a change, with the link against it.
const fn japanese_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "身に覚えがない場合はこちら",
        note: "ご自身の操作であれば、何もする必要はありません。リンクは48時間有効です。リンクを\
               開いて操作すると、すべてのデバイスからログアウトし、新しいパスワードを設定するリン\
               クをお送りします。",
    }
}

/// A mail in Japanese that invites somebody to a group.
const JAPANESE_INVITE: Sentences = Sentences {
    subject: "{name}さんが{server}の{group}に招待しています",
    body: "{name}さんがあなたを{server}のグループ{group}に招待しています。",
    button: "グループに参加",
    note: "リンクは7日以内に1人だけ使えます。{name}さんに心当たりがない場合は、この\
           メールを無視してください。",
};

pub(super) fn japanese(kind: MailKind) -> Sentences {
    let told = japanese_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "{server}の新しいパスワードを設定してください",
            body: "{server}のあなたのアカウントについて、新しいパスワードの設定が申請されました。",
            button: "新しいパスワードを設定",
            note: "リンクは30分以内に1回だけ使えます。申請した覚えがない場合は、このメールを無視\
                   してください。パスワードは変わりません。",
        },
        MailKind::Confirmation => Sentences {
            subject: "{server}のメールアドレスを確認してください",
            body: "{address}が{server}のあなたのアカウントのアドレスであることを確認してください。",
            button: "アドレスを確認",
            note: "リンクは7日間有効です。アカウントをお持ちでない場合は、このメールを無視してく\
                   ださい。",
        },
        MailKind::PasswordChanged => told(
            "{server}のパスワードが変更されました",
            "{server}のあなたのアカウントのパスワードが変更され、ほかのすべてのデバイスからログ\
             アウトしました。",
        ),
        MailKind::AddressChanging => told(
            "{server}に別のメールアドレスが入力されました",
            "{server}のあなたのアカウントに、アドレス{address}が入力されました。新しいアドレスが\
             確認されるまで、現在のアドレスが使われます。",
        ),
        MailKind::AddressChanged => told(
            "{server}のメールアドレスが変更されました",
            "{server}のあなたのアカウントのメールアドレスは{address}に変更されました。",
        ),
        MailKind::Recovered => told(
            "{server}のアカウントに新しいパスワードが設定されました",
            "メールまたはサーバーの運営者からのリンクを使って、{server}のあなたのアカウントに新\
             しいパスワードが設定されました。すべてのデバイスからログアウトしました。",
        ),
        MailKind::FactorAdded => Sentences {
            note: "ご自身の操作であれば、何もする必要はありません。リンクは48時間有効です。リン\
                   クを開いて操作すると、すべてのデバイスからログアウトし、ワンタイムコードをオフ\
                   にして、新しいパスワードを設定するリンクをお送りします。",
            ..told(
                "{server}で2段階認証がオンになりました",
                "今後、{server}のあなたのアカウントにログインするには、アプリのワンタイムコード\
                 が必要です。",
            )
        },
        MailKind::FactorRemoved => told(
            "{server}で2段階認証がオフになりました",
            "{server}のあなたのアカウントにログインするとき、ワンタイムコードは不要になりました。\
             リカバリーコードと信頼できるデバイスは無効になりました。",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "ご自身の操作であれば、何もする必要はありません。リンクは48時間有効です。リン\
                   クを開いて操作すると、すべてのデバイスからログアウトし、すべてのパスキーを削除\
                   して、新しいパスワードを設定するリンクをお送りします。",
            ..told(
                "{server}にパスキーが追加されました",
                "{server}のあなたのアカウントにパスキーが追加されました。このパスキーを使うと、\
                 パスワードなしでログインできます。",
            )
        },
        MailKind::PasskeyRemoved => told(
            "{server}のパスキーが削除されました",
            "{server}のあなたのアカウントからパスキーが削除されました。このパスキーではログイン\
             できなくなりました。",
        ),
        MailKind::GroupInvite => JAPANESE_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Japanese),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Japanese),
        MailKind::Approved => registration::approved(MailLanguage::Japanese),
    }
}

/// A mail in Chinese about a change, with the link against it.
const fn chinese_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "不是我本人操作",
        note: "如果是你本人操作，则无需处理。链接在 48 小时内有效。它会在所有设备上退出登录，并\
               向你发送设置新密码的链接。",
    }
}

/// A mail in Chinese that invites somebody to a group.
const CHINESE_INVITE: Sentences = Sentences {
    subject: "{name} 邀请你加入 {server} 上的 {group}",
    body: "{name} 邀请你加入 {server} 上的群组 {group}。",
    button: "加入群组",
    note: "链接在 7 天内可供一人使用。如果你不认识 {name}，请忽略此邮件。",
};

pub(super) fn chinese(kind: MailKind) -> Sentences {
    let told = chinese_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "设置 {server} 的新密码",
            body: "有人（可能是你）为你在 {server} 的账号请求了新密码。",
            button: "设置新密码",
            note: "链接在 30 分钟内有效，只能使用一次。如果不是你本人操作，请忽略此邮件：你的密\
                   码不会改变。",
        },
        MailKind::Confirmation => Sentences {
            subject: "确认你在 {server} 的邮箱地址",
            body: "请确认 {address} 是你在 {server} 的账号的地址。",
            button: "确认地址",
            note: "链接在 7 天内有效。如果你在那里没有账号，请忽略此邮件。",
        },
        MailKind::PasswordChanged => told(
            "你在 {server} 的密码已更改",
            "你在 {server} 的账号的密码已更改，其他所有设备均已退出登录。",
        ),
        MailKind::AddressChanging => told(
            "有人在 {server} 输入了另一个邮箱地址",
            "你在 {server} 的账号输入了地址 {address}。在确认新地址之前，你当前的地址保持不变。",
        ),
        MailKind::AddressChanged => told(
            "你在 {server} 的邮箱地址已更改",
            "你在 {server} 的账号的邮箱地址现在是 {address}。",
        ),
        MailKind::Recovered => told(
            "你在 {server} 的账号有了新密码",
            "有人通过邮件中的链接，或服务器运营者提供的链接，为你在 {server} 的账号设置了新密码。\
             所有设备均已退出登录。",
        ),
        MailKind::FactorAdded => Sentences {
            note: "如果是你本人操作，则无需处理。链接在 48 小时内有效。它会在所有设备上退出登录，\
                   关闭一次性验证码，并向你发送设置新密码的链接。",
            ..told(
                "{server} 的两步验证已打开",
                "从现在起，登录你在 {server} 的账号需要应用生成的一次性验证码。",
            )
        },
        MailKind::FactorRemoved => told(
            "{server} 的两步验证已关闭",
            "登录你在 {server} 的账号不再需要一次性验证码。你的恢复码和受信任的设备已失效。",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "如果是你本人操作，则无需处理。链接在 48 小时内有效。它会在所有设备上退出登录，\
                   移除所有通行密钥，并向你发送设置新密码的链接。",
            ..told(
                "{server} 上添加了通行密钥",
                "你在 {server} 的账号添加了一个通行密钥。使用它登录无需密码。",
            )
        },
        MailKind::PasskeyRemoved => told(
            "{server} 上移除了通行密钥",
            "你在 {server} 的账号移除了一个通行密钥。它不能再用于登录。",
        ),
        MailKind::GroupInvite => CHINESE_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Chinese),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Chinese),
        MailKind::Approved => registration::approved(MailLanguage::Chinese),
    }
}

/// A mail in Chinese in traditional characters about a change, with the link against it.
const fn traditional_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "不是我本人操作",
        note: "如果是你本人操作，則不需要處理。連結在 48 小時內有效。它會在所有裝置上登出，並寄\
               給你設定新密碼的連結。",
    }
}

/// A mail in Traditional Chinese that invites somebody to a group.
const TRADITIONAL_CHINESE_INVITE: Sentences = Sentences {
    subject: "{name} 邀請你加入 {server} 上的 {group}",
    body: "{name} 邀請你加入 {server} 上的群組 {group}。",
    button: "加入群組",
    note: "連結在 7 天內可供一人使用。如果你不認識 {name}，請忽略此郵件。",
};

pub(super) fn traditional_chinese(kind: MailKind) -> Sentences {
    let told = traditional_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "設定 {server} 的新密碼",
            body: "有人（可能是你）為你在 {server} 的帳號要求了新密碼。",
            button: "設定新密碼",
            note: "連結在 30 分鐘內有效，只能使用一次。如果不是你本人操作，請忽略此郵件：你的密\
                   碼不會改變。",
        },
        MailKind::Confirmation => Sentences {
            subject: "確認你在 {server} 的電子郵件地址",
            body: "請確認 {address} 是你在 {server} 的帳號的地址。",
            button: "確認地址",
            note: "連結在 7 天內有效。如果你在那裡沒有帳號，請忽略此郵件。",
        },
        MailKind::PasswordChanged => told(
            "你在 {server} 的密碼已變更",
            "你在 {server} 的帳號的密碼已變更，其他所有裝置均已登出。",
        ),
        MailKind::AddressChanging => told(
            "有人在 {server} 輸入了另一個電子郵件地址",
            "你在 {server} 的帳號輸入了地址 {address}。在確認新地址之前，你目前的地址保持不變。",
        ),
        MailKind::AddressChanged => told(
            "你在 {server} 的電子郵件地址已變更",
            "你在 {server} 的帳號的電子郵件地址現在是 {address}。",
        ),
        MailKind::Recovered => told(
            "你在 {server} 的帳號有了新密碼",
            "有人透過郵件中的連結，或伺服器營運者提供的連結，為你在 {server} 的帳號設定了新密碼。\
             所有裝置均已登出。",
        ),
        MailKind::FactorAdded => Sentences {
            note: "如果是你本人操作，則不需要處理。連結在 48 小時內有效。它會在所有裝置上登出，\
                   關閉一次性驗證碼，並寄給你設定新密碼的連結。",
            ..told(
                "{server} 的兩步驟驗證已開啟",
                "從現在起，登入你在 {server} 的帳號需要應用程式產生的一次性驗證碼。",
            )
        },
        MailKind::FactorRemoved => told(
            "{server} 的兩步驟驗證已關閉",
            "登入你在 {server} 的帳號不再需要一次性驗證碼。你的復原碼和信任的裝置已失效。",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "如果是你本人操作，則不需要處理。連結在 48 小時內有效。它會在所有裝置上登出，\
                   移除所有密碼金鑰，並寄給你設定新密碼的連結。",
            ..told(
                "{server} 上新增了密碼金鑰",
                "你在 {server} 的帳號新增了一個密碼金鑰。使用它登入不需要密碼。",
            )
        },
        MailKind::PasskeyRemoved => told(
            "{server} 上移除了密碼金鑰",
            "你在 {server} 的帳號移除了一個密碼金鑰。它不能再用於登入。",
        ),
        MailKind::GroupInvite => TRADITIONAL_CHINESE_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::TraditionalChinese),
        MailKind::AlreadyRegistered => {
            registration::already_registered(MailLanguage::TraditionalChinese)
        }
        MailKind::Approved => registration::approved(MailLanguage::TraditionalChinese),
    }
}
