/** Japanese: the texts of passkeys, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const JAPANESE_PASSKEYS = {
  "Log in with a passkey": "パスキーでログイン",
  "Use a passkey": "パスキーを使う",
  "This passkey is not accepted.": "このパスキーは使えません。",
  "No passkey was used. Try again.": "パスキーが使われませんでした。もう一度お試しください。",
  "This device has a passkey of this account already.":
    "このデバイスには、このアカウントのパスキーがすでにあります。",
  Passkeys: "パスキー",
  "Add a passkey": "パスキーを追加",
  "With a passkey you log in by fingerprint, face or PIN of your device, without a password.":
    "パスキーを使うと、パスワードなしで、デバイスの指紋、顔、PINでログインできます。",
  "This browser has no passkeys at this address. They need https and a name.":
    "このブラウザーでは、このアドレスでパスキーを使えません。パスキーにはhttpsとホスト名が必要です。",
  "So that you recognize it: the device, or where the passkey is stored.":
    "見分けるための名前です。デバイス名やパスキーの保存先など。",
  "The passkey was added.": "パスキーを追加しました。",
  "Rename the passkey": "パスキーの名前を変更",
  "Remove {it}?": "{it}を削除しますか？",
  "You can no longer log in with this passkey. Remove it from your device too.":
    "このパスキーではログインできなくなります。デバイスからも削除してください。",
  "Works only at {host}.": "{host}でのみ使えます。",
  "Rename: {it}": "名前を変更: {it}",
  "Remove: {it}": "削除: {it}",
  Rename: "名前を変更",
};
