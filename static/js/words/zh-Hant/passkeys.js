/** Chinese in traditional characters: the texts of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const TRADITIONAL_PASSKEYS = {
  "Log in with a passkey": "使用密碼金鑰登入",
  "Use a passkey": "使用密碼金鑰",
  "This passkey is not accepted.": "此密碼金鑰不被接受。",
  "No passkey was used. Try again.": "未使用密碼金鑰。請再試一次。",
  "This device has a passkey of this account already.": "此裝置已有此帳號的密碼金鑰。",
  Passkeys: "密碼金鑰",
  "Add a passkey": "新增密碼金鑰",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "有了密碼金鑰，你可以用裝置的指紋、臉部或 PIN 碼登入，無需密碼。",
  "This browser has no passkeys at this address. They need https and a name.":
    "此瀏覽器在此網址無法使用密碼金鑰。密碼金鑰需要 https 和網域名稱。",
  "So that you recognize it: the device, or where the passkey is stored.":
    "便於你識別：裝置名稱，或密碼金鑰的儲存位置。",
  "The passkey was added.": "已新增密碼金鑰。",
  "Rename the passkey": "重新命名密碼金鑰",
  "Remove {it}?": "移除 {it}？",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "你將無法再用此密碼金鑰登入。請同時從你的裝置中移除它。",
  "Works only at {host}.": "僅適用於 {host}。",
  "Rename: {it}": "重新命名：{it}",
  "Remove: {it}": "移除：{it}",
  Rename: "重新命名",
};
