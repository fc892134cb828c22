/** Portuguese: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_DIRECTORY = {
  "Find groups": "Encontrar grupos",
  "Name or description": "Nome ou descrição",
  "Groups in the directory": "Grupos do diretório",
  "Your requests to join": "Seus pedidos para entrar",
  Withdraw: "Retirar",
  "Withdraw your request to join {name}": "Retirar o pedido para entrar em {name}",
  Denied: "Recusado",
  "You were removed": "Você foi removido",
  Join: "Entrar",
  "Join {name}": "Entrar em {name}",
  "Ask to join {name}": "Pedir para entrar em {name}",
  Open: "Abrir",
  "Open {name}": "Abrir {name}",
  "This server has no directory of groups.": "Este servidor não tem um diretório de grupos.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "Os membros verão seu nome e sua foto, e você verá as mensagens deles. Você pode sair a qualquer momento.",
  "List the group in the directory": "Mostrar o grupo no diretório",
  "Everybody on this server finds it, and joins or asks to join.":
    "Todos neste servidor o encontram e podem entrar ou pedir para entrar.",
  "{name} listed the group in the directory.": "{name} pôs o grupo no diretório.",
  "{name} took the group out of the directory.": "{name} tirou o grupo do diretório.",
  "Directory of groups": "Diretório de grupos",
  "On: people find groups that want to be found": "Ligado: são encontrados os grupos que querem",
  Guest: "Convidado",
  Guests: "Convidados",
  "People without an account become guests": "Quem não tem conta passa a ser convidado",
  "Guests see only their groups. Their accounts end with the invite.":
    "Os convidados veem apenas os seus grupos. As suas contas terminam com o convite.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "Você foi convidado para um grupo. Entre ou crie uma conta de convidado para participar.",
  "On: invites of groups may make guests": "Ligado: os convites de grupos podem receber convidados",
  "Make a member": "Tornar membro",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} passa a ser membro: a conta já não termina e pode fazer o que as outras podem.",
  "Guest made a member": "Convidado tornado membro",
};
