/** Spanish: the words of the pages behind links in mails, and of the second factor. */

/** @type {import("../words.js").Catalogue} */
export const SPANISH_MAIL = {
  "At least 8 characters. You are logged out everywhere else.":
    "Al menos 8 caracteres. Se cierran tus demás sesiones.",
  "Back to log in": "Volver al inicio de sesión",
  "Forgot your password?": "¿Olvidaste tu contraseña?",
  "If an account has this address, a mail with a link is on its way. The link works once, within 30 minutes.":
    "Si una cuenta tiene esta dirección, ya va en camino un correo con un enlace. El enlace funciona una vez, durante 30 minutos.",
  "Request a new link": "Pedir un enlace nuevo",
  "Send link": "Enviar enlace",
  "Set a new password": "Establecer una contraseña nueva",
  "Set password and log in": "Establecer contraseña e iniciar sesión",
  "This link was used already, or is too old.": "Este enlace ya se usó o es demasiado antiguo.",
  "This server sends no mail. Ask for a link: {contact}":
    "Este servidor no envía correos. Pide un enlace: {contact}",
  "This server sends no mail. Ask those who run it for a link.":
    "Este servidor no envía correos. Pide un enlace a quienes lo administran.",
  "Every device is logged out. A mail with a link for a new password is on its way.":
    "Se cerraron todas las sesiones. Ya va en camino un correo con un enlace para una contraseña nueva.",
  "It was not me": "No fui yo",
  "Log out everywhere and send a link": "Cerrar todas las sesiones y enviar un enlace",
  "Somebody else may know your password. This logs out every device, makes that password useless and sends you a link for a new one.":
    "Es posible que otra persona conozca tu contraseña. Esto cierra todas las sesiones, invalida esa contraseña y te envía un enlace para una nueva.",
  "A mail with a link is on its way.": "Ya va en camino un correo con un enlace.",
  "Confirm address": "Confirmar dirección",
  "Confirm your email address": "Confirma tu correo electrónico",
  "Go to the conversations": "Ir a las conversaciones",
  "Send the mail again": "Enviar el correo de nuevo",
  "{address} becomes your address once you open the link in the mail to it.":
    "{address} será tu dirección en cuanto abras el enlace del correo que recibas en ella.",
  "{address} is not confirmed yet. Open the link in the mail to it.":
    "{address} aún no está confirmada. Abre el enlace del correo que recibiste en ella.",
  "{email} is confirmed.": "{email} está confirmada.",
  "Two-factor log-in": "Verificación en dos pasos",
  "Trusted devices": "Dispositivos de confianza",
  "Set up one-time codes": "Configurar códigos de un solo uso",
  "No code needed until ": "No se pide código hasta: ",
  "Log-ins need your password alone. One-time codes from an app protect them better.":
    "Para iniciar sesión solo se pide tu contraseña. Los códigos de un solo uso de una aplicación protegen mejor.",
  "Log-ins need a one-time code from your app. You have no recovery codes left.":
    "Para iniciar sesión se pide un código de un solo uso de tu aplicación. Ya no te quedan códigos de recuperación.",
  "Log-ins need a one-time code from your app. Recovery codes left: {left}.":
    "Para iniciar sesión se pide un código de un solo uso de tu aplicación. Códigos de recuperación restantes: {left}.",
  "Scan this with an authenticator app, or type the key into it.":
    "Escanea esto con una aplicación de autenticación o escribe en ella la clave.",
  "QR code of the key": "Código QR de la clave",
  key: "clave",
  "recovery codes": "códigos de recuperación",
  "Please confirm that it is you.": "Confirma que eres tú.",
  "Keep these recovery codes. Each works once in place of a one-time code. They are not shown again.":
    "Guarda estos códigos de recuperación. Cada uno sirve una vez en lugar de un código de un solo uso. No se volverán a mostrar.",
  "Enter the code.": "Escribe el código.",
  "Two-factor log-in is on.": "La verificación en dos pasos está activada.",
  "Two-factor log-in is off.": "La verificación en dos pasos está desactivada.",
  "Turn off two-factor log-in?": "¿Desactivar la verificación en dos pasos?",
  "Recovery codes and trusted devices end too.":
    "También dejan de valer los códigos de recuperación y los dispositivos de confianza.",
  "The six digits that the app shows.": "Los seis dígitos que muestra la aplicación.",
  "The six digits of your authenticator app, or a recovery code.":
    "Los seis dígitos de tu aplicación de autenticación o un código de recuperación.",
  "This server asks for a second factor. Set one up in your account.":
    "Este servidor exige un segundo factor. Configúralo en tu cuenta.",
  "This server asks for a second factor. Set it up by {date}.":
    "Este servidor exige un segundo factor. Fecha límite para configurarlo: {date}.",
  "This server asks for a second factor. Set it up now.":
    "Este servidor exige un segundo factor. Configúralo ahora.",
  "Who must have a second factor": "Quién debe tener un segundo factor",
  "People who have none get 14 days to set up one-time codes.":
    "Quien no lo tenga dispone de 14 días para configurar los códigos de un solo uso.",
  "Nobody has to have one": "Nadie está obligado",
  Operators: "Los operadores",
  "This server asks operators for a second factor. These pages open once you have one.":
    "Este servidor exige un segundo factor a los operadores. Estas páginas se abren en cuanto tengas uno.",
  "Set up a second factor": "Configura un segundo factor",
  "This server asks everybody for a second factor. Your conversations open once you have one.":
    "Este servidor exige un segundo factor a todos. Tus conversaciones se abren en cuanto tengas uno.",
  "A server that asks for a second factor will ask you to set one up again.":
    "Un servidor que exige un segundo factor te pedirá que configures otro.",
  "Trust this device": "Confiar en este dispositivo",
  "For 30 days, log-ins here need no code.": "Durante 30 días, aquí no se pide código para iniciar sesión.",
  "This log-in has expired. Log in again.": "Este inicio de sesión ha caducado. Inicia sesión de nuevo.",
  "This code is wrong or was used already.": "Este código es incorrecto o ya se usó.",
  "Enter your code": "Escribe tu código",
  Code: "Código",
  Continue: "Continuar",
  Download: "Descargar",
  "Log out everywhere else": "Cerrar las demás sesiones",
  "Log out everywhere else?": "¿Cerrar las demás sesiones?",
  "Every other session ends at once. Applications keep their access.":
    "Todas las demás sesiones terminan al instante. Las aplicaciones conservan su acceso.",
  "All other sessions were logged out.": "Se cerraron todas las demás sesiones.",
  "Log in with {provider}": "Iniciar sesión con {provider}",
  "Logging in…": "Iniciando sesión…",
  "Link and log in": "Vincular e iniciar sesión",
  "There is an account with the address {email} already. Enter its password once to log in to it with {provider}.":
    "Ya existe una cuenta con la dirección {email}. Escribe una vez su contraseña para iniciar sesión en ella con {provider}.",
  "Wrong password or code.": "Contraseña o código incorrectos.",
  "Single sign-on": "Inicio de sesión único",
  "Accounts elsewhere with which you log in here.": "Cuentas externas con las que inicias sesión aquí.",
  "Link an account at {provider}": "Vincular una cuenta de {provider}",
  "Confirm that it is you": "Confirma que eres tú",
  "Confirm at {provider}": "Confirmar con {provider}",
  "Unlink {it}?": "¿Desvincular {it}?",
  "You can no longer log in with this account. Your other sessions that began with it end.":
    "Ya no podrás iniciar sesión con esta cuenta. Terminan tus demás sesiones iniciadas con ella.",
  Unlink: "Desvincular",
  "Unlink: {it}": "Desvincular: {it}",
  "This is the only way to log in. Set a password first.":
    "Es la única forma de iniciar sesión. Primero establece una contraseña.",
  "New recovery codes": "Códigos de recuperación nuevos",
  "The former recovery codes end.": "Los códigos de recuperación anteriores dejan de valer.",
  "Your recovery codes were replaced.": "Se reemplazaron tus códigos de recuperación.",
  "Acts of operators": "Acciones de los operadores",
  "What operators of this server did to your account, and why.":
    "Lo que los operadores de este servidor hicieron con tu cuenta, y por qué.",
  "on the server's machine": "en la máquina del servidor",
  "Turn these mails off": "Dejar de recibir estos correos",
  "This link belongs to another address. Turn the mails off in your account.":
    "Este enlace pertenece a otra dirección. Desactiva los correos en tu cuenta.",
  "You get no more mails about unread messages. You can turn them on in your account.":
    "Ya no recibirás correos sobre mensajes sin leer. Puedes activarlos en tu cuenta.",
  "Mails about unread messages": "Correos sobre mensajes sin leer",
  "After half an hour, when I am away": "Después de media hora, si no estoy",
  "Once a day": "Una vez al día",
  "Once a week": "Una vez por semana",
  "Direct messages, mentions and replies. Muted conversations are left out.":
    "Mensajes directos, menciones y respuestas. Se omiten las conversaciones silenciadas.",
  "Only addresses of certain domains may register.":
    "Solo pueden registrarse direcciones de ciertos dominios.",
  "Only addresses of certain domains may register. A mail confirms yours.":
    "Solo pueden registrarse direcciones de ciertos dominios. Un correo confirma la tuya.",
  "Addresses of {domains} may register. A mail confirms yours.":
    "Pueden registrarse direcciones de {domains}. Un correo confirma la tuya.",
  "A mail is on its way to {address}. Open its link within 7 days, then you can log in.":
    "Hay un correo en camino a {address}. Abre su enlace en un plazo de 7 días y podrás iniciar sesión.",
  "Confirm your address first, with the link in the mail.":
    "Confirma primero tu dirección con el enlace del correo.",
  "The one that you chose when you created the account.": "La que elegiste al crear la cuenta.",
  "Who confirms an address of certain domains": "Quien confirme una dirección de ciertos dominios",
  "Domains whose addresses may register": "Dominios cuyas direcciones pueden registrarse",
  "Like example.org, example.com": "Por ejemplo example.org, example.com",
  "Show the domains": "Mostrar los dominios",
  "Enter a domain, like example.org.": "Escribe un dominio, como example.org.",
  "Waits for the confirmation of the address": "Espera la confirmación de la dirección",
  "Can be used": "Se puede usar",
  "Who are you, and why do you want an account?": "¿Quién eres y por qué quieres una cuenta?",
  "The operators of this server read it, and decide.": "Los operadores de este servidor lo leen y deciden.",
  "Write a sentence about yourself.": "Escribe una frase sobre ti.",
  "Your request was sent. You can log in once the operators approve it.":
    "Tu solicitud se ha enviado. Podrás iniciar sesión cuando los operadores la aprueben.",
  "The operators have not approved this account yet. You can log in once they do.":
    "Los operadores aún no han aprobado esta cuenta. Podrás iniciar sesión cuando lo hagan.",
  "You are invited. Create an account.": "Tienes una invitación. Crea una cuenta.",
  "You are invited to {place}. Create an account.": "Tienes una invitación a {place}. Crea una cuenta.",
  "You are invited. This server creates no accounts with a password.":
    "Tienes una invitación. Este servidor no crea cuentas con contraseña.",
  "This invitation was used up or has ended. Ask for a new one.":
    "Esta invitación se agotó o ha terminado. Pide una nueva.",
  "This invitation does not exist. Check the address, or ask for a new one.":
    "Esta invitación no existe. Comprueba la dirección o pide una nueva.",
  "You need an invitation to create an account.": "Necesitas una invitación para crear una cuenta.",
  "You need an invitation to create an account. Ask the operators of this server.":
    "Necesitas una invitación para crear una cuenta. Pídela a los operadores de este servidor.",
  "You need an invitation to create an account. Ask for one: {contact}":
    "Necesitas una invitación para crear una cuenta. Pídela aquí: {contact}",
};
