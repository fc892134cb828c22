//! The texts of mails in Romance languages.

use domain::mail::{MailKind, MailLanguage};

use super::{Sentences, missed, registration};

/// A mail in French about a change, with the link against it.
const fn french_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "Ce n’était pas moi",
        note: "Si c’était vous, il n’y a rien à faire. Le lien est valable 48 heures. Il déconnecte \
               tous les appareils et vous envoie un lien pour un nouveau mot de passe.",
    }
}

/// A mail in French that invites somebody to a group.
const FRENCH_INVITE: Sentences = Sentences {
    subject: "{name} vous invite dans {group} sur {server}",
    body: "{name} vous invite à rejoindre le groupe {group} sur {server}.",
    button: "Rejoindre le groupe",
    note: "Le lien est valable pour une personne, pendant 7 jours. Si vous ne \
           connaissez pas {name}, ignorez ce message.",
};

pub(super) fn french(kind: MailKind) -> Sentences {
    let told = french_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Nouveau mot de passe pour {server}",
            body: "Quelqu’un, probablement vous, a demandé un nouveau mot de passe pour votre \
                   compte sur {server}.",
            button: "Choisir un nouveau mot de passe",
            note: "Le lien fonctionne une fois, pendant 30 minutes. Si ce n’était pas vous, ignorez \
                   ce message : votre mot de passe reste inchangé.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Confirmez votre adresse e-mail pour {server}",
            body: "Veuillez confirmer que {address} est l’adresse de votre compte sur {server}.",
            button: "Confirmer l’adresse",
            note: "Le lien est valable 7 jours. Si vous n’y avez pas de compte, ignorez ce message.",
        },
        MailKind::PasswordChanged => told(
            "Votre mot de passe pour {server} a été modifié",
            "Le mot de passe de votre compte sur {server} a été modifié, et tous les autres \
             appareils ont été déconnectés.",
        ),
        MailKind::AddressChanging => told(
            "Une autre adresse e-mail a été saisie sur {server}",
            "L’adresse {address} a été saisie pour votre compte sur {server}. Votre adresse \
             actuelle reste jusqu’à la confirmation de la nouvelle.",
        ),
        MailKind::AddressChanged => told(
            "Votre adresse e-mail sur {server} a été modifiée",
            "L’adresse e-mail de votre compte sur {server} est maintenant {address}.",
        ),
        MailKind::Recovered => told(
            "Votre compte sur {server} a un nouveau mot de passe",
            "Un nouveau mot de passe a été choisi pour votre compte sur {server} avec un lien reçu \
             par e-mail ou fourni par l’exploitant. Tous les appareils ont été déconnectés.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "Si c’était vous, il n’y a rien à faire. Le lien est valable 48 heures. Il \
                   déconnecte tous les appareils, désactive les codes à usage unique et vous \
                   envoie un lien pour un nouveau mot de passe.",
            ..told(
                "Connexion en deux étapes activée sur {server}",
                "Les connexions à votre compte sur {server} demandent désormais un code à usage \
                 unique d’une application.",
            )
        },
        MailKind::FactorRemoved => told(
            "Connexion en deux étapes désactivée sur {server}",
            "Les connexions à votre compte sur {server} ne demandent plus de code à usage \
             unique. Vos codes de secours et vos appareils de confiance ne sont plus valables.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "Si c’était vous, il n’y a rien à faire. Le lien est valable 48 heures. Il \
                   déconnecte tous les appareils, supprime toutes les clés d’accès et vous \
                   envoie un lien pour un nouveau mot de passe.",
            ..told(
                "Une clé d’accès a été ajoutée sur {server}",
                "Une clé d’accès a été ajoutée à votre compte sur {server}. Elle permet de se \
                 connecter sans votre mot de passe.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "Une clé d’accès a été supprimée sur {server}",
            "Une clé d’accès de votre compte sur {server} a été supprimée. Elle ne permet plus \
             de se connecter.",
        ),
        MailKind::GroupInvite => FRENCH_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::French),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::French),
        MailKind::Approved => registration::approved(MailLanguage::French),
    }
}

/// A mail in Spanish about a change, with the link against it.
const fn spanish_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "No fui yo",
        note: "Si fuiste tú, no tienes que hacer nada. El enlace es válido durante 48 horas. Cierra \
               todas las sesiones y te envía un enlace para una contraseña nueva.",
    }
}

/// A mail in Spanish that invites somebody to a group.
const SPANISH_INVITE: Sentences = Sentences {
    subject: "{name} te invita a {group} en {server}",
    body: "{name} te invita a unirte al grupo {group} en {server}.",
    button: "Unirse al grupo",
    note: "El enlace sirve para una persona durante 7 días. Si no conoces a \
           {name}, ignora este mensaje.",
};

pub(super) fn spanish(kind: MailKind) -> Sentences {
    let told = spanish_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Contraseña nueva para {server}",
            body: "Alguien, probablemente tú, pidió una contraseña nueva para tu cuenta en {server}.",
            button: "Establecer una contraseña nueva",
            note: "El enlace funciona una vez, durante 30 minutos. Si no fuiste tú, ignora este \
                   correo: tu contraseña no cambia.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Confirma tu correo electrónico para {server}",
            body: "Confirma que {address} es la dirección de tu cuenta en {server}.",
            button: "Confirmar dirección",
            note: "El enlace es válido durante 7 días. Si no tienes una cuenta allí, ignora este \
                   correo.",
        },
        MailKind::PasswordChanged => told(
            "Se cambió tu contraseña de {server}",
            "Se cambió la contraseña de tu cuenta en {server} y se cerró la sesión en todos los \
             demás dispositivos.",
        ),
        MailKind::AddressChanging => told(
            "Se indicó otra dirección de correo en {server}",
            "Se indicó la dirección {address} para tu cuenta en {server}. Tu dirección actual se \
             mantiene hasta que se confirme la nueva.",
        ),
        MailKind::AddressChanged => told(
            "Se cambió tu dirección de correo en {server}",
            "La dirección de correo de tu cuenta en {server} ahora es {address}.",
        ),
        MailKind::Recovered => told(
            "Tu cuenta en {server} tiene una contraseña nueva",
            "Se estableció una contraseña nueva para tu cuenta en {server} con un enlace recibido \
             por correo o de quienes administran el servidor. Se cerraron todas las sesiones.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "Si fuiste tú, no tienes que hacer nada. El enlace es válido durante 48 horas. \
                   Cierra todas las sesiones, desactiva los códigos de un solo uso y te envía un \
                   enlace para una contraseña nueva.",
            ..told(
                "Se activó la verificación en dos pasos en {server}",
                "A partir de ahora, para iniciar sesión en tu cuenta en {server} se pide un código \
                 de un solo uso de una aplicación.",
            )
        },
        MailKind::FactorRemoved => told(
            "Se desactivó la verificación en dos pasos en {server}",
            "Para iniciar sesión en tu cuenta en {server} ya no se pide un código de un solo uso. \
             Tus códigos de recuperación y dispositivos de confianza dejan de valer.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "Si fuiste tú, no tienes que hacer nada. El enlace es válido durante 48 horas. \
                   Cierra todas las sesiones, quita todas las llaves de acceso y te envía un enlace \
                   para una contraseña nueva.",
            ..told(
                "Se añadió una llave de acceso en {server}",
                "Se añadió una llave de acceso a tu cuenta en {server}. Permite iniciar sesión sin \
                 tu contraseña.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "Se quitó una llave de acceso en {server}",
            "Se quitó una llave de acceso de tu cuenta en {server}. Ya no permite iniciar sesión.",
        ),
        MailKind::GroupInvite => SPANISH_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Spanish),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Spanish),
        MailKind::Approved => registration::approved(MailLanguage::Spanish),
    }
}

/// A mail in Portuguese about a change, with the link against it.
const fn portuguese_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "Não fui eu",
        note: "Se foi você, não é preciso fazer nada. O link é válido por 48 horas. Ele encerra \
               todas as sessões e envia a você um link para uma nova senha.",
    }
}

/// A mail in Portuguese that invites somebody to a group.
const PORTUGUESE_INVITE: Sentences = Sentences {
    subject: "{name} convida você para {group} em {server}",
    body: "{name} convida você para o grupo {group} em {server}.",
    button: "Entrar no grupo",
    note: "O link serve para uma pessoa, durante 7 dias. Se você não conhece \
           {name}, ignore esta mensagem.",
};

pub(super) fn portuguese(kind: MailKind) -> Sentences {
    let told = portuguese_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Nova senha para {server}",
            body: "Alguém, provavelmente você, pediu uma nova senha para sua conta em {server}.",
            button: "Definir uma nova senha",
            note: "O link funciona uma vez, por 30 minutos. Se não foi você, ignore este e-mail: \
                   sua senha continua a mesma.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Confirme seu e-mail para {server}",
            body: "Confirme que {address} é o endereço da sua conta em {server}.",
            button: "Confirmar endereço",
            note: "O link é válido por 7 dias. Se você não tem uma conta lá, ignore este e-mail.",
        },
        MailKind::PasswordChanged => told(
            "Sua senha de {server} foi alterada",
            "A senha da sua conta em {server} foi alterada, e a sessão foi encerrada em todos os \
             outros dispositivos.",
        ),
        MailKind::AddressChanging => told(
            "Outro endereço de e-mail foi informado em {server}",
            "O endereço {address} foi informado para sua conta em {server}. Seu endereço atual \
             continua valendo até que o novo seja confirmado.",
        ),
        MailKind::AddressChanged => told(
            "Seu endereço de e-mail em {server} foi alterado",
            "O endereço de e-mail da sua conta em {server} agora é {address}.",
        ),
        MailKind::Recovered => told(
            "Sua conta em {server} tem uma nova senha",
            "Uma nova senha foi definida para sua conta em {server} com um link recebido por \
             e-mail ou de quem administra o servidor. Todas as sessões foram encerradas.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "Se foi você, não é preciso fazer nada. O link é válido por 48 horas. Ele \
                   encerra todas as sessões, desativa os códigos de uso único e envia a você um \
                   link para uma nova senha.",
            ..told(
                "Verificação em duas etapas ativada em {server}",
                "A partir de agora, é preciso um código de uso único de um aplicativo para entrar \
                 na sua conta em {server}.",
            )
        },
        MailKind::FactorRemoved => told(
            "Verificação em duas etapas desativada em {server}",
            "Não é mais preciso um código de uso único para entrar na sua conta em {server}. Seus \
             códigos de recuperação e dispositivos confiáveis deixam de valer.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "Se foi você, não é preciso fazer nada. O link é válido por 48 horas. Ele \
                   encerra todas as sessões, remove todas as chaves de acesso e envia a você um \
                   link para uma nova senha.",
            ..told(
                "Uma chave de acesso foi adicionada em {server}",
                "Uma chave de acesso foi adicionada à sua conta em {server}. Com ela é possível \
                 entrar sem sua senha.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "Uma chave de acesso foi removida em {server}",
            "Uma chave de acesso da sua conta em {server} foi removida. Não é mais possível entrar \
             com ela.",
        ),
        MailKind::GroupInvite => PORTUGUESE_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Portuguese),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Portuguese),
        MailKind::Approved => registration::approved(MailLanguage::Portuguese),
    }
}

/// A mail in Italian about a change, with the link against it.
const fn italian_notice(subject: &'static str, body: &'static str) -> Sentences {
    Sentences {
        subject,
        body,
        button: "Non ero io",
        note: "Se eri tu, non devi fare nulla. Il link è valido per 48 ore. Chiude tutte le \
               sessioni e ti invia un link per una nuova password.",
    }
}

/// A mail in Italian that invites somebody to a group.
const ITALIAN_INVITE: Sentences = Sentences {
    subject: "{name} ti invita in {group} su {server}",
    body: "{name} ti invita a entrare nel gruppo {group} su {server}.",
    button: "Entra nel gruppo",
    note: "Il link vale per una persona, per 7 giorni. Se non conosci {name}, \
           ignora questo messaggio.",
};

pub(super) fn italian(kind: MailKind) -> Sentences {
    let told = italian_notice;
    match kind {
        MailKind::Recovery => Sentences {
            subject: "Nuova password per {server}",
            body: "Qualcuno, probabilmente tu, ha richiesto una nuova password per il tuo account \
                   su {server}.",
            button: "Imposta una nuova password",
            note: "Il link funziona una volta, per 30 minuti. Se non eri tu, ignora questa email: \
                   la tua password resta com’è.",
        },
        MailKind::Confirmation => Sentences {
            subject: "Conferma il tuo indirizzo email per {server}",
            body: "Conferma che {address} è l’indirizzo del tuo account su {server}.",
            button: "Conferma indirizzo",
            note: "Il link è valido per 7 giorni. Se non hai un account lì, ignora questa email.",
        },
        MailKind::PasswordChanged => told(
            "La tua password per {server} è stata cambiata",
            "La password del tuo account su {server} è stata cambiata e la sessione è stata chiusa \
             su tutti gli altri dispositivi.",
        ),
        MailKind::AddressChanging => told(
            "È stato indicato un altro indirizzo email su {server}",
            "L’indirizzo {address} è stato indicato per il tuo account su {server}. Il tuo \
             indirizzo attuale resta valido finché il nuovo non è confermato.",
        ),
        MailKind::AddressChanged => told(
            "Il tuo indirizzo email su {server} è stato cambiato",
            "L’indirizzo email del tuo account su {server} ora è {address}.",
        ),
        MailKind::Recovered => told(
            "Il tuo account su {server} ha una nuova password",
            "È stata impostata una nuova password per il tuo account su {server} con un link \
             ricevuto per email o da chi gestisce il server. Tutte le sessioni sono state chiuse.",
        ),
        MailKind::FactorAdded => Sentences {
            note: "Se eri tu, non devi fare nulla. Il link è valido per 48 ore. Chiude tutte le \
                   sessioni, disattiva i codici monouso e ti invia un link per una nuova password.",
            ..told(
                "Verifica in due passaggi attivata su {server}",
                "D’ora in poi, per accedere al tuo account su {server} serve un codice monouso di \
                 un’app.",
            )
        },
        MailKind::FactorRemoved => told(
            "Verifica in due passaggi disattivata su {server}",
            "Per accedere al tuo account su {server} non serve più un codice monouso. I tuoi \
             codici di recupero e i dispositivi attendibili non valgono più.",
        ),
        MailKind::PasskeyAdded => Sentences {
            note: "Se eri tu, non devi fare nulla. Il link è valido per 48 ore. Chiude tutte le \
                   sessioni, rimuove tutte le passkey e ti invia un link per una nuova password.",
            ..told(
                "È stata aggiunta una passkey su {server}",
                "È stata aggiunta una passkey al tuo account su {server}. Permette di accedere \
                 senza la tua password.",
            )
        },
        MailKind::PasskeyRemoved => told(
            "È stata rimossa una passkey su {server}",
            "Una passkey del tuo account su {server} è stata rimossa. Non permette più di accedere.",
        ),
        MailKind::GroupInvite => ITALIAN_INVITE,
        MailKind::Missed => missed::sentences(MailLanguage::Italian),
        MailKind::AlreadyRegistered => registration::already_registered(MailLanguage::Italian),
        MailKind::Approved => registration::approved(MailLanguage::Italian),
    }
}
