/**
 * Spanish: the words of the client, by the English ones. Those about bots and those of windows
 * lie beside them.
 */

import { SPANISH_ACTIONS } from "./actions.js";
import { SPANISH_ADMIN } from "./admin.js";
import { SPANISH_BOTS } from "./bots.js";
import { SPANISH_CONVERSATION } from "./conversation.js";
import { SPANISH_DIRECTORY } from "./directory.js";
import { SPANISH_FOLDERS } from "./folders.js";
import { SPANISH_LINES } from "./lines.js";
import { SPANISH_MAIL } from "./mail.js";
import { SPANISH_MENTIONS } from "./mentions.js";
import { SPANISH_MODERATION } from "./moderation.js";
import { SPANISH_MORE } from "./more.js";
import { SPANISH_PASSKEYS } from "./passkeys.js";
import { SPANISH_RULES } from "./rules.js";
import { SPANISH_SAVED } from "./saved.js";
import { SPANISH_TOKENS } from "./tokens.js";
import { SPANISH_TOPICS } from "./topics.js";
import { SPANISH_WINDOWS } from "./windows.js";

/** @type {import("../words.js").Catalogue} */
export const SPANISH = {
  ...SPANISH_ACTIONS,
  ...SPANISH_ADMIN,
  ...SPANISH_BOTS,
  ...SPANISH_CONVERSATION,
  ...SPANISH_DIRECTORY,
  ...SPANISH_FOLDERS,
  ...SPANISH_LINES,
  ...SPANISH_MAIL,
  ...SPANISH_MODERATION,
  ...SPANISH_MORE,
  ...SPANISH_PASSKEYS,
  ...SPANISH_RULES,
  ...SPANISH_MENTIONS,
  ...SPANISH_SAVED,
  ...SPANISH_TOKENS,
  ...SPANISH_TOPICS,
  ...SPANISH_WINDOWS,
  " You see the messages stored on this device: {when}.":
    " Ves los mensajes guardados en este dispositivo: {when}.",
  "{count} replies": "{count} respuestas",
  "{count} characters; {MOST} are allowed.": "{count} caracteres; se permiten {MOST}.",
  "{count} earlier messages are waiting to be sent": "{count} mensajes anteriores esperan a ser enviados",
  "{count} people are typing…": "{count} personas están escribiendo…",
  "Draft: ": "Borrador: ",
  "{it} and {it2} are typing…": "{it} y {it2} están escribiendo…",
  "{it} commands": "{it} comandos",
  "{it} is typing…": "{it} está escribiendo…",
  "{it} too many": "Sobran {it}",
  "{left} left": "Quedan {left}",
  "{missed} new messages": "{missed} mensajes nuevos",
  "No connection: only messages on this device were searched.":
    "Sin conexión: solo se buscó en los mensajes de este dispositivo.",
  "Nothing was found.": "No se encontró nada.",
  "{said} and {count} more": "{said} y {count} más",
  "1 reply": "1 respuesta",
  "1 earlier message is waiting to be sent": "1 mensaje anterior espera a ser enviado",
  "1 new message": "1 mensaje nuevo",
  "A file": "Un archivo",
  "A place": "Un lugar",
  "About {name}": "Acerca de {name}",
  "Account · Coterie": "Cuenta · Coterie",
  "Add a picture or file": "Añadir una imagen o un archivo",
  "An admin deleted this message": "Un admin eliminó este mensaje",
  "An earlier message": "Un mensaje anterior",
  Attachment: "Adjunto",
  "Bots · Coterie": "Bots · Coterie",
  Cancel: "Cancelar",
  "Catching up…": "Poniéndose al día…",
  "Choose a conversation to read and write, or start a new group.":
    "Elige una conversación para leer y escribir, o crea un grupo nuevo.",
  Close: "Cerrar",
  Commands: "Comandos",
  Connected: "Conectado",
  "Connecting…": "Conectando…",
  Conversation: "Conversación",
  Conversations: "Conversaciones",
  Copied: "Copiado",
  Copy: "Copiar",
  "Copy {label}": "Copiar {label}",
  "Copy link": "Copiar enlace",
  "Mark as unread": "Marcar como no leído",
  "Create a group": "Crear un grupo",
  "Create a group and add the people you want to talk to.":
    "Crea un grupo y añade a las personas con las que quieres hablar.",
  "Delete this message?": "¿Eliminar este mensaje?",
  "Direct messages": "Mensajes directos",
  "Do not reply": "No responder",
  "Download {name}": "Descargar {name}",
  Edit: "Editar",
  "Edit message": "Editar mensaje",
  "edited ": "editado ",
  Events: "Eventos",
  Files: "Archivos",
  "Files to add": "Archivos para añadir",
  "Files to send": "Archivos para enviar",
  "Find a conversation": "Buscar una conversación",
  Gallery: "Galería",
  "Go to (Ctrl K)": "Ir a (Ctrl K)",
  "Good to see you": "Nos alegra verte",
  "In {group}, {words}": "En {group}, {words}",
  "In reply to ": "En respuesta a ",
  "This was written more than a day ago. Send it anyway?":
    "Este mensaje se escribió hace más de un día. ¿Enviarlo de todos modos?",
  "Jump to the newest message": "Ir al mensaje más reciente",
  "Drop files to add them": "Suelta los archivos para añadirlos",
  "Loading newer messages…": "Cargando mensajes más recientes…",
  "Loading older messages…": "Cargando mensajes más antiguos…",
  "Log out": "Cerrar sesión",
  "Message to {name}": "Mensaje para {name}",
  Messages: "Mensajes",
  "Muted ": "Silenciado ",
  "New group": "Grupo nuevo",
  "New message": "Mensaje nuevo",
  "New messages": "Mensajes nuevos",
  "No conversations yet.": "Aún no hay conversaciones.",
  "No messages yet": "Aún no hay mensajes",
  "Its content is removed for everyone. Its place and its likes stay.":
    "Su contenido se elimina para todos. Su lugar y sus «me gusta» se conservan.",
  "Not sent: ": "Sin enviar: ",
  "Not sent. {why}": "No se envió. {why}",
  "No results.": "Sin resultados.",
  Offline: "Sin conexión",
  "Offline. Reconnecting…": "Sin conexión. Reconectando…",
  "Older messages could not be loaded. Try again":
    "No se pudieron cargar los mensajes más antiguos. Inténtalo de nuevo",
  "Older messages appear when you are connected.": "Los mensajes más antiguos aparecen cuando hay conexión.",
  Online: "En línea",
  "Only the owner can hand the group over.": "Solo el propietario puede ceder el grupo.",
  "Only you so far": "Por ahora, solo tú",
  Picture: "Imagen",
  "Picture from you": "Imagen tuya",
  Pin: "Fijar",
  "Pinned ": "Fijado ",
  "Pinned messages": "Mensajes fijados",
  Place: "Lugar",
  "Place: {name}": "Lugar: {name}",
  "Play {name}": "Reproducir {name}",
  Polls: "Encuestas",
  React: "Reaccionar",
  "Remove {name}": "Quitar {name}",
  Reply: "Responder",
  "Enter a text, or delete the message.": "Escribe un texto o elimina el mensaje.",
  "Send the first message, or add people to the group.": "Envía el primer mensaje o añade personas al grupo.",
  "Send the first message. Only you and {name} can read it.":
    "Envía el primer mensaje. Solo {name} y tú pueden leerlo.",
  Seen: "Visto",
  "Selected. Copy it with Ctrl+C.": "Seleccionado. Cópialo con Ctrl+C.",
  Send: "Enviar",
  Sending: "Enviando",
  "Sends once uploaded": "Se enviará al terminar la subida",
  "Skip to the conversation": "Saltar a la conversación",
  Somebody: "Alguien",
  Someone: "Alguien",
  "Something went wrong. Try again.": "Algo salió mal. Inténtalo de nuevo.",
  "This does not exist, or you have no access to it.": "Esto no existe o no tienes acceso.",
  "Too many requests. Try again in a moment.": "Demasiadas solicitudes. Inténtalo de nuevo en un momento.",
  "The group could not be handed over.": "No se pudo ceder el grupo.",
  "The group is yours already.": "El grupo ya es tuyo.",
  "The group may have been deleted, or you are no longer a member of it.":
    "Es posible que el grupo se haya eliminado o que ya no formes parte de él.",
  "The server cannot be reached. Check your connection.":
    "No se puede acceder al servidor. Comprueba tu conexión.",
  "The server has been updated. Reload this page to continue.":
    "El servidor se ha actualizado. Recarga esta página para continuar.",
  "The server is not available right now. Try again in a moment.":
    "El servidor no está disponible ahora. Inténtalo de nuevo en un momento.",
  "The request failed ({status}).": "La solicitud falló ({status}).",
  "Chat not found": "Chat no encontrado",
  "Group not found": "Grupo no encontrado",
  "This is the beginning of the conversation.": "Este es el comienzo de la conversación.",
  "This message cannot be shown. It may be very old, or not be in this conversation.":
    "No se puede mostrar este mensaje. Quizá sea muy antiguo o no esté en esta conversación.",
  "This message is not on this device, and there is no connection.":
    "Este mensaje no está en este dispositivo y no hay conexión.",
  "This part of the page could not be loaded. Check your connection and try again.":
    "No se pudo cargar esta parte de la página. Comprueba tu conexión e inténtalo de nuevo.",
  "This person is not in the group any more.": "Esta persona ya no está en el grupo.",
  "This takes longer than usual. The person will appear here once it is done.":
    "Está tardando más de lo habitual. La persona aparecerá aquí en cuanto termine.",
  "To you, {words}": "Para ti, {words}",
  Today: "Hoy",
  "Try again": "Intentar de nuevo",
  Unblock: "Desbloquear",
  Unpin: "Dejar de fijar",
  "Unread: ": "Sin leer: ",
  "Uploading {name}": "Subiendo {name}",
  "Uploading…": "Subiendo…",
  "Waiting. It will be sent automatically.": "En espera. Se enviará automáticamente.",
  Yesterday: "Ayer",
  "You are invited to a group. Log in or create an account to join it.":
    "Tienes una invitación a un grupo. Inicia sesión o crea una cuenta para unirte.",
  "You have been logged out. Log in again to continue.":
    "Se cerró tu sesión. Inicia sesión de nuevo para continuar.",
  "You share no group with this person, and have not written to each other yet.":
    "No compartes ningún grupo con esta persona y aún no se han escrito.",
  "Your like could not be saved. {why}": "No se pudo guardar tu «me gusta». {why}",
  "Your picture": "Tu foto",
  "Your reaction could not be saved. {it}": "No se pudo guardar tu reacción. {it}",
};
