/** Chinese: the texts of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const CHINESE_PASSKEYS = {
  "Log in with a passkey": "使用通行密钥登录",
  "Use a passkey": "使用通行密钥",
  "This passkey is not accepted.": "此通行密钥不被接受。",
  "No passkey was used. Try again.": "未使用通行密钥。请重试。",
  "This device has a passkey of this account already.": "此设备已有此账号的通行密钥。",
  Passkeys: "通行密钥",
  "Add a passkey": "添加通行密钥",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "有了通行密钥，你可以用设备的指纹、面容或 PIN 码登录，无需密码。",
  "This browser has no passkeys at this address. They need https and a name.":
    "此浏览器在此地址无法使用通行密钥。通行密钥需要 https 和域名。",
  "So that you recognize it: the device, or where the passkey is stored.":
    "便于你识别：设备名称，或通行密钥的存储位置。",
  "The passkey was added.": "已添加通行密钥。",
  "Rename the passkey": "重命名通行密钥",
  "Remove {it}?": "移除 {it}？",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "你将无法再用此通行密钥登录。请同时从你的设备中移除它。",
  "Works only at {host}.": "仅适用于 {host}。",
  "Rename: {it}": "重命名：{it}",
  "Remove: {it}": "移除：{it}",
  Rename: "重命名",
};
