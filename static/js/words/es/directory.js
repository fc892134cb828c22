/** Spanish: the texts of the directory of groups, and of joining, by the English ones. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_DIRECTORY = {
  "Find groups": "Buscar grupos",
  "Name or description": "Nombre o descripción",
  "Groups in the directory": "Grupos del directorio",
  "Your requests to join": "Tus solicitudes para unirte",
  Withdraw: "Retirar",
  "Withdraw your request to join {name}": "Retirar tu solicitud para unirte a {name}",
  Denied: "Rechazada",
  "You were removed": "Te quitaron del grupo",
  Join: "Unirse",
  "Join {name}": "Unirse a {name}",
  "Ask to join {name}": "Pedir unirse a {name}",
  Open: "Abrir",
  "Open {name}": "Abrir {name}",
  "This server has no directory of groups.": "Este servidor no tiene un directorio de grupos.",
  "Its members will see your name and picture, and you will see their messages. You can leave at any time.":
    "Sus miembros verán tu nombre y tu foto, y tú verás sus mensajes. Puedes salir cuando quieras.",
  "List the group in the directory": "Mostrar el grupo en el directorio",
  "Everybody on this server finds it, and joins or asks to join.":
    "Todos en este servidor lo encuentran y pueden unirse o pedirlo.",
  "{name} listed the group in the directory.": "{name} añadió el grupo al directorio.",
  "{name} took the group out of the directory.": "{name} quitó el grupo del directorio.",
  "Directory of groups": "Directorio de grupos",
  "On: people find groups that want to be found": "Activado: se encuentran los grupos que quieren",
  Guest: "Invitado",
  Guests: "Invitados",
  "People without an account become guests": "Quien no tiene cuenta pasa a ser invitado",
  "Guests see only their groups. Their accounts end with the invite.":
    "Los invitados solo ven sus grupos. Sus cuentas terminan con la invitación.",
  "You are invited to a group. Log in, or create a guest account to join it.":
    "Te han invitado a un grupo. Inicia sesión o crea una cuenta de invitado para unirte.",
  "On: invites of groups may make guests": "Activado: las invitaciones de grupos pueden admitir invitados",
  "Make a member": "Convertir en miembro",
  "{name} becomes a member: the account no longer ends, and may do what others may.":
    "{name} pasa a ser miembro: la cuenta ya no termina y puede hacer lo mismo que las demás.",
  "Guest made a member": "Invitado convertido en miembro",
};
