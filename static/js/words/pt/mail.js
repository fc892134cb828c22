/** Portuguese: the words of the pages behind links in mails, and of the second factor. */

/** @type {import("../words.js").Catalogue} */
export const PORTUGUESE_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Pelo menos 8 caracteres. Suas outras sessões são encerradas.",
  "Back to log in": "Voltar ao login",
  "Forgot your password?": "Esqueceu sua senha?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Se uma conta tiver este endereço, um e-mail com um link está a caminho. O link funciona uma vez, por 30 minutos.",
  "Request a new link": "Pedir um novo link",
  "Send link": "Enviar link",
  "Set a new password": "Definir uma nova senha",
  "Set password and log in": "Definir senha e entrar",
  "This link was used already, or is too old.": "Este link já foi usado ou é antigo demais.",
  "This server sends no mail. Ask for a link: {contact}":
    "Este servidor não envia e-mails. Peça um link: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Este servidor não envia e-mails. Peça um link a quem o administra.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Todas as sessões foram encerradas. Um e-mail com um link para uma nova senha está a caminho.",
  "It was not me": "Não fui eu",
  "Log out everywhere and send a link": "Encerrar todas as sessões e enviar um link",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Outra pessoa pode saber sua senha. Isto encerra todas as sessões, invalida essa senha e envia a você um link para uma nova.",
  "A mail with a link is on its way.": "Um e-mail com um link está a caminho.",
  "Confirm address": "Confirmar endereço",
  "Confirm your email address": "Confirme seu e-mail",
  "Go to the conversations": "Ir para as conversas",
  "Send the mail again": "Enviar o e-mail novamente",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} passa a ser seu endereço quando você abrir o link do e-mail enviado para ele.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} ainda não foi confirmado. Abra o link do e-mail enviado para ele.",
  "{email} is confirmed.": "{email} foi confirmado.",
  "Two-factor log-in": "Verificação em duas etapas",
  "Trusted devices": "Dispositivos confiáveis",
  "Set up one-time codes": "Configurar códigos de uso único",
  "No code needed until ": "Nenhum código necessário até ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "Para entrar, basta sua senha. Códigos de uso único de um aplicativo protegem melhor.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "Para entrar, é preciso um código de uso único do seu aplicativo. Você não tem mais códigos de recuperação.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "Para entrar, é preciso um código de uso único do seu aplicativo. Códigos de recuperação restantes: {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "Escaneie isto com um aplicativo de autenticação ou digite a chave nele.",
  "QR code of the key": "Código QR da chave",
  key: "chave",
  "recovery codes": "códigos de recuperação",
  "Please confirm that it is you.": "Confirme que é você.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "Guarde estes códigos de recuperação. Cada um vale uma vez no lugar de um código de uso único. Eles não serão mostrados novamente.",
  "Enter the code.": "Digite o código.",
  "Two-factor log-in is on.": "A verificação em duas etapas está ativada.",
  "Two-factor log-in is off.": "A verificação em duas etapas está desativada.",
  "Turn off two-factor log-in?": "Desativar a verificação em duas etapas?",
  "Recovery codes and trusted devices end too.":
    "Os códigos de recuperação e os dispositivos confiáveis também deixam de valer.",
  "The six digits that the app shows.": "Os seis dígitos que o aplicativo mostra.",
  "The six digits of your authenticator app, or a recovery code.":
    "Os seis dígitos do seu aplicativo de autenticação ou um código de recuperação.",
  "This server asks for a second factor. Set one up in your account.":
    "Este servidor exige um segundo fator. Configure-o na sua conta.",
  "This server asks for a second factor. Set it up by {date}.":
    "Este servidor exige um segundo fator. Prazo para configurá-lo: {date}.",
  "This server asks for a second factor. Set it up now.":
    "Este servidor exige um segundo fator. Configure-o agora.",
  "Who must have a second factor": "Quem precisa ter um segundo fator",
  "People who have none get 14 days to set up one-time codes.":
    "Quem não tem recebe 14 dias para configurar os códigos de uso único.",
  "Nobody has to have one": "Ninguém é obrigado",
  Operators: "Os operadores",
  "This server asks operators for a second factor. These pages open once you have one.":
    "Este servidor exige um segundo fator dos operadores. Estas páginas abrem assim que você tiver um.",
  "Set up a second factor": "Configure um segundo fator",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "Este servidor exige um segundo fator de todos. Suas conversas abrem assim que você tiver um.",
  "A server that asks for a second factor will ask you to set one up again.":
    "Um servidor que exige um segundo fator pedirá que você configure outro.",
  "Trust this device": "Confiar neste dispositivo",
  "For 30 days, log-ins here need no code.": "Por 30 dias, não é preciso código para entrar aqui.",
  "This log-in has expired. Log in again.": "Este acesso expirou. Entre novamente.",
  "This code is wrong or was used already.": "Este código está errado ou já foi usado.",
  "Enter your code": "Digite seu código",
  Code: "Código",
  Continue: "Continuar",
  Download: "Baixar",
  "Log out everywhere else": "Encerrar as outras sessões",
  "Log out everywhere else?": "Encerrar as outras sessões?",
  "Every other session ends at once. Applications keep their access.":
    "Todas as outras sessões são encerradas na hora. Os aplicativos mantêm o acesso.",
  "All other sessions were logged out.": "Todas as outras sessões foram encerradas.",
  "Log in with {provider}": "Entrar com {provider}",
  "Logging in…": "Entrando…",
  "Link and log in": "Vincular e entrar",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "Já existe uma conta com o endereço {email}. Digite a senha dela uma vez para entrar nela com {provider}.",
  "Wrong password or code.": "Senha ou código incorretos.",
  "Single sign-on": "Login único",
  "Accounts elsewhere with which you log in here.": "Contas externas com as quais você entra aqui.",
  "Link an account at {provider}": "Vincular uma conta de {provider}",
  "Confirm that it is you": "Confirme que é você",
  "Confirm at {provider}": "Confirmar com {provider}",
  "Unlink {it}?": "Desvincular {it}?",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "Você não poderá mais entrar com esta conta. Suas outras sessões iniciadas com ela são encerradas.",
  Unlink: "Desvincular",
  "Unlink: {it}": "Desvincular: {it}",
  "This is the only way to log in. Set a password first.":
    "Esta é a única forma de entrar. Defina uma senha primeiro.",
  "New recovery codes": "Novos códigos de recuperação",
  "The former recovery codes end.": "Os códigos de recuperação anteriores deixam de valer.",
  "Your recovery codes were replaced.": "Seus códigos de recuperação foram substituídos.",
  "Acts of operators": "Ações dos operadores",
  "What operators of this server did to your account, and why.":
    "O que os operadores deste servidor fizeram com sua conta, e por quê.",
  "on the server's machine": "na máquina do servidor",
  "Turn these mails off": "Não receber mais estes e-mails",
  "This link belongs to another address. Turn the mails off in your account.":
    "Este link pertence a outro endereço. Desative os e-mails na sua conta.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "Você não receberá mais e-mails sobre mensagens não lidas. Pode ativá-los na sua conta.",
  "Mails about unread messages": "E-mails sobre mensagens não lidas",
  "After half an hour, when I am away": "Depois de meia hora, quando não estou",
  "Once a day": "Uma vez por dia",
  "Once a week": "Uma vez por semana",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "Mensagens diretas, menções e respostas. As conversas silenciadas ficam de fora.",
  "Only addresses of certain domains may register.": "Só endereços de certos domínios podem se cadastrar.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "Só endereços de certos domínios podem se cadastrar. Um e-mail confirma o seu.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "Endereços de {domains} podem se cadastrar. Um e-mail confirma o seu.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "Um e-mail está a caminho de {address}. Abra o link em até 7 dias e poderá entrar.",
  "Confirm your address first, with the link in the mail.":
    "Confirme primeiro o seu endereço com o link do e-mail.",
  "The one that you chose when you created the account.": "A que você escolheu ao criar a conta.",
  "Who confirms an address of certain domains": "Quem confirma um endereço de certos domínios",
  "Domains whose addresses may register": "Domínios cujos endereços podem se cadastrar",
  "Like example.org, example.com": "Por exemplo example.org, example.com",
  "Show the domains": "Mostrar os domínios",
  "Enter a domain, like example.org.": "Digite um domínio, como example.org.",
  "Waits for the confirmation of the address": "Espera a confirmação do endereço",
  "Can be used": "Pode ser usada",
  "Who are you, and why do you want an account?": "Quem é você e por que quer uma conta?",
  "The operators of this server read it, and decide.": "Os operadores deste servidor leem e decidem.",
  "Write a sentence about yourself.": "Escreva uma frase sobre você.",
  "Your request was sent. You can log in once the operators approve it.":
    "Seu pedido foi enviado. Você poderá entrar quando os operadores o aprovarem.",
  "The operators have not approved this account yet. You can log in once they do.":
    "Os operadores ainda não aprovaram esta conta. Você poderá entrar quando aprovarem.",
  "You are invited. Create an account.": "Você tem um convite. Crie uma conta.",
  "You are invited to {place}. Create an account.": "Você tem um convite para {place}. Crie uma conta.",
  "You are invited. This server creates no accounts with a password.":
    "Você tem um convite. Este servidor não cria contas com senha.",
  "This invitation was used up or has ended. Ask for a new one.":
    "Este convite se esgotou ou terminou. Peça um novo.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "Este convite não existe. Confira o endereço ou peça um novo.",
  "You need an invitation to create an account.": "Você precisa de um convite para criar uma conta.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "Você precisa de um convite para criar uma conta. Peça aos operadores deste servidor.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "Você precisa de um convite para criar uma conta. Peça um: {contact}",
};
