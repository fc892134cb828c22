/**
 * Portuguese: the words of the client, by the English ones. Those about bots and those of windows
 * lie beside them.
 */

import { PORTUGUESE_ACTIONS } from "./actions.js";
import { PORTUGUESE_ADMIN } from "./admin.js";
import { PORTUGUESE_BOTS } from "./bots.js";
import { PORTUGUESE_CONVERSATION } from "./conversation.js";
import { PORTUGUESE_DIRECTORY } from "./directory.js";
import { PORTUGUESE_FOLDERS } from "./folders.js";
import { PORTUGUESE_LINES } from "./lines.js";
import { PORTUGUESE_MAIL } from "./mail.js";
import { PORTUGUESE_MENTIONS } from "./mentions.js";
import { PORTUGUESE_MODERATION } from "./moderation.js";
import { PORTUGUESE_MORE } from "./more.js";
import { PORTUGUESE_PASSKEYS } from "./passkeys.js";
import { PORTUGUESE_RULES } from "./rules.js";
import { PORTUGUESE_SAVED } from "./saved.js";
import { PORTUGUESE_TOKENS } from "./tokens.js";
import { PORTUGUESE_TOPICS } from "./topics.js";
import { PORTUGUESE_WINDOWS } from "./windows.js";

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE = {
  ...PORTUGUESE_ACTIONS,
  ...PORTUGUESE_ADMIN,
  ...PORTUGUESE_BOTS,
  ...PORTUGUESE_CONVERSATION,
  ...PORTUGUESE_DIRECTORY,
  ...PORTUGUESE_FOLDERS,
  ...PORTUGUESE_LINES,
  ...PORTUGUESE_MAIL,
  ...PORTUGUESE_MODERATION,
  ...PORTUGUESE_MORE,
  ...PORTUGUESE_PASSKEYS,
  ...PORTUGUESE_RULES,
  ...PORTUGUESE_MENTIONS,
  ...PORTUGUESE_SAVED,
  ...PORTUGUESE_TOKENS,
  ...PORTUGUESE_TOPICS,
  ...PORTUGUESE_WINDOWS,
  " You see the messages stored on this device: {when}.":
    " Você está vendo as mensagens guardadas neste dispositivo: {when}.",
  "{count} replies": "{count} respostas",
  "{count} characters; {MOST} are allowed.": "{count} caracteres; são permitidos {MOST}.",
  "{count} earlier messages are waiting to be sent": "{count} mensagens anteriores aguardam o envio",
  "{count} people are typing…": "{count} pessoas estão digitando…",
  "Draft: ": "Rascunho: ",
  "{it} and {it2} are typing…": "{it} e {it2} estão digitando…",
  "{it} commands": "{it} comandos",
  "{it} is typing…": "{it} está digitando…",
  "{it} too many": "{it} a mais",
  "{left} left": "Restam {left}",
  "{missed} new messages": "{missed} mensagens novas",
  "No connection: only messages on this device were searched.":
    "Sem conexão: a busca só incluiu as mensagens deste dispositivo.",
  "Nothing was found.": "Nada foi encontrado.",
  "{said} and {count} more": "{said} e mais {count}",
  "1 reply": "1 resposta",
  "1 earlier message is waiting to be sent": "1 mensagem anterior aguarda o envio",
  "1 new message": "1 mensagem nova",
  "A file": "Um arquivo",
  "A place": "Um lugar",
  "About {name}": "Sobre {name}",
  "Account · Coterie": "Conta · Coterie",
  "Add a picture or file": "Adicionar uma imagem ou um arquivo",
  "An admin deleted this message": "Um admin excluiu esta mensagem",
  "An earlier message": "Uma mensagem anterior",
  Attachment: "Anexo",
  "Bots · Coterie": "Bots · Coterie",
  Cancel: "Cancelar",
  "Catching up…": "Atualizando…",
  "Choose a conversation to read and write, or start a new group.":
    "Escolha uma conversa para ler e escrever ou crie um novo grupo.",
  Close: "Fechar",
  Commands: "Comandos",
  Connected: "Conectado",
  "Connecting…": "Conectando…",
  Conversation: "Conversa",
  Conversations: "Conversas",
  Copied: "Copiado",
  Copy: "Copiar",
  "Copy {label}": "Copiar {label}",
  "Copy link": "Copiar link",
  "Mark as unread": "Marcar como não lida",
  "Create a group": "Criar um grupo",
  "Create a group and add the people you want to talk to.":
    "Crie um grupo e adicione as pessoas com quem você quer conversar.",
  "Delete this message?": "Excluir esta mensagem?",
  "Direct messages": "Mensagens diretas",
  "Do not reply": "Não responder",
  "Download {name}": "Baixar {name}",
  Edit: "Editar",
  "Edit message": "Editar mensagem",
  "edited ": "editada ",
  Events: "Eventos",
  Files: "Arquivos",
  "Files to add": "Arquivos para adicionar",
  "Files to send": "Arquivos para enviar",
  "Find a conversation": "Buscar uma conversa",
  Gallery: "Galeria",
  "Go to (Ctrl K)": "Ir para (Ctrl K)",
  "Good to see you": "Que bom ver você",
  "In {group}, {words}": "Em {group}, {words}",
  "In reply to ": "Em resposta a ",
  "This was written more than a day ago. Send it anyway?":
    "Esta mensagem foi escrita há mais de um dia. Enviar mesmo assim?",
  "Jump to the newest message": "Ir para a mensagem mais recente",
  "Drop files to add them": "Solte os arquivos para adicioná-los",
  "Loading newer messages…": "Carregando mensagens mais recentes…",
  "Loading older messages…": "Carregando mensagens mais antigas…",
  "Log out": "Sair",
  "Message to {name}": "Mensagem para {name}",
  Messages: "Mensagens",
  "Muted ": "Silenciado ",
  "New group": "Novo grupo",
  "New message": "Nova mensagem",
  "New messages": "Novas mensagens",
  "No conversations yet.": "Ainda não há conversas.",
  "No messages yet": "Ainda não há mensagens",
  "Its content is removed for everyone. Its place and its likes stay.":
    "O conteúdo é removido para todos. O lugar e as curtidas permanecem.",
  "Not sent: ": "Não enviada: ",
  "Not sent. {why}": "Não enviada. {why}",
  "No results.": "Nenhum resultado.",
  Offline: "Sem conexão",
  "Offline. Reconnecting…": "Sem conexão. Reconectando…",
  "Older messages could not be loaded. Try again":
    "Não foi possível carregar as mensagens mais antigas. Tente novamente",
  "Older messages appear when you are connected.": "As mensagens mais antigas aparecem quando há conexão.",
  Online: "Online",
  "Only the owner can hand the group over.": "Só o dono pode transferir o grupo.",
  "Only you so far": "Só você por enquanto",
  Picture: "Imagem",
  "Picture from you": "Imagem sua",
  Pin: "Fixar",
  "Pinned ": "Fixada ",
  "Pinned messages": "Mensagens fixadas",
  Place: "Lugar",
  "Place: {name}": "Lugar: {name}",
  "Play {name}": "Reproduzir {name}",
  Polls: "Enquetes",
  React: "Reagir",
  "Remove {name}": "Remover {name}",
  Reply: "Responder",
  "Enter a text, or delete the message.": "Digite um texto ou exclua a mensagem.",
  "Send the first message, or add people to the group.":
    "Envie a primeira mensagem ou adicione pessoas ao grupo.",
  "Send the first message. Only you and {name} can read it.":
    "Envie a primeira mensagem. Só você e {name} podem lê-la.",
  Seen: "Vista",
  "Selected. Copy it with Ctrl+C.": "Selecionado. Copie com Ctrl+C.",
  Send: "Enviar",
  Sending: "Enviando",
  "Sends once uploaded": "Será enviada após o upload",
  "Skip to the conversation": "Pular para a conversa",
  Somebody: "Alguém",
  Someone: "Alguém",
  "Something went wrong. Try again.": "Algo deu errado. Tente novamente.",
  "This does not exist, or you have no access to it.": "Isto não existe ou você não tem acesso.",
  "Too many requests. Try again in a moment.": "Muitas solicitações. Tente novamente em instantes.",
  "The group could not be handed over.": "Não foi possível transferir o grupo.",
  "The group is yours already.": "O grupo já é seu.",
  "The group may have been deleted, or you are no longer a member of it.":
    "O grupo pode ter sido excluído ou você não faz mais parte dele.",
  "The server cannot be reached. Check your connection.":
    "Não foi possível acessar o servidor. Verifique sua conexão.",
  "The server has been updated. Reload this page to continue.":
    "O servidor foi atualizado. Recarregue esta página para continuar.",
  "The server is not available right now. Try again in a moment.":
    "O servidor não está disponível no momento. Tente novamente em instantes.",
  "The request failed ({status}).": "A solicitação falhou ({status}).",
  "Chat not found": "Chat não encontrado",
  "Group not found": "Grupo não encontrado",
  "This is the beginning of the conversation.": "Este é o início da conversa.",
  "This message cannot be shown. It may be very old, or not be in this conversation.":
    "Não é possível mostrar esta mensagem. Ela pode ser muito antiga ou não estar nesta conversa.",
  "This message is not on this device, and there is no connection.":
    "Esta mensagem não está neste dispositivo e não há conexão.",
  "This part of the page could not be loaded. Check your connection and try again.":
    "Não foi possível carregar esta parte da página. Verifique sua conexão e tente novamente.",
  "This person is not in the group any more.": "Esta pessoa não está mais no grupo.",
  "This takes longer than usual. The person will appear here once it is done.":
    "Está demorando mais que o normal. A pessoa aparecerá aqui assim que terminar.",
  "To you, {words}": "Para você, {words}",
  Today: "Hoje",
  "Try again": "Tentar novamente",
  Unblock: "Desbloquear",
  Unpin: "Desafixar",
  "Unread: ": "Não lidas: ",
  "Uploading {name}": "Fazendo upload de {name}",
  "Uploading…": "Fazendo upload…",
  "Waiting. It will be sent automatically.": "Aguardando. O envio será automático.",
  Yesterday: "Ontem",
  "You are invited to a group. Log in or create an account to join it.":
    "Você recebeu um convite para um grupo. Entre ou crie uma conta para participar.",
  "You have been logged out. Log in again to continue.":
    "Sua sessão foi encerrada. Entre novamente para continuar.",
  "You share no group with this person, and have not written to each other yet.":
    "Você não tem grupos em comum com esta pessoa, e vocês ainda não trocaram mensagens.",
  "Your like could not be saved. {why}": "Não foi possível salvar sua curtida. {why}",
  "Your picture": "Sua foto",
  "Your reaction could not be saved. {it}": "Não foi possível salvar sua reação. {it}",
};
