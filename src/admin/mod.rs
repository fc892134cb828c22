//! Administration: what operators may do to an installation and users may not.
//!
//! One [`Administration`] carries out every command, whether it comes through the local [`socket`]
//! of a running server or from a tool that opened the data directory of a stopped one. Commands
//! that change accounts or the clock, and backups, are noted in the audit log with the operator who
//! gave them.

use std::sync::{Arc, OnceLock, Weak};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::admin::media::MediaStores;
use crate::admin::protocol::{
    AdminCommand, AdminReply, AdminResult, MailView, ServerSettings, ServerView,
};
use actors::ask::{Failure, Fault};
use actors::directory::Directory;
use actors::errand::Errand;
use actors::names::Names;
use actors::node_link::{CarriedOut, LeaderReply, NodeLink};
use auth::passkeys::host_of;
use auth::password::{HashingFault, Passwords};
use base::clock::Clock;
use base::clock::disciplined::DisciplinedClock;
use base::metrics::process;
use base::msgpack;
use cluster::membership::Membership;
use domain::audit::{AdminAct, AuditFact, Operator};
use domain::instance::SignUp;
use index::IndexFault;
use subscribers::mail::Mails;
use wire::fields::Problems;

pub mod media;
mod nodes;
pub mod protocol;
pub mod socket;
mod users;

/// Carries out the commands of operators.
#[derive(Clone)]
pub struct Administration {
    /// Finds and starts rooms.
    pub directory: Directory,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Claims email addresses and phone numbers, which only one account may have.
    pub names: Names,
    /// The server's clock, which can be told to accept the machine's time.
    pub clock: Arc<DisciplinedClock>,
    /// The number of the installation's history.
    pub history: u32,
    /// The server's place among the nodes; `None` if it is alone.
    pub membership: Option<Membership>,
    /// Notified to shut the server down in order.
    pub drain: Arc<Notify>,
    /// The pictures and files of a running server; `None` in a tool.
    pub media: Option<MediaStores>,
    /// The mails of a running server that sends any; `None` in a tool.
    pub mails: Option<Mails>,
    /// The settings of a running server; `None` in a tool.
    pub settings: Option<ServerSettings>,
}

/// Why a command was not carried out: one line for the operator.
#[derive(Debug, thiserror::Error)]
enum AdminError {
    /// The rules refuse the command.
    #[error("{0}")]
    Refused(String),
    /// A fault of the server.
    #[error("{0}")]
    Fault(String),
    /// Another node leads: nothing was done.
    #[error("another node leads")]
    Elsewhere,
}

impl<R: std::fmt::Display> From<Failure<R>> for AdminError {
    fn from(failure: Failure<R>) -> Self {
        match failure {
            Failure::Refused(refusal) => Self::Refused(refusal.to_string()),
            Failure::Fault(fault) => fault.into(),
        }
    }
}

impl From<Fault> for AdminError {
    fn from(fault: Fault) -> Self {
        if matches!(fault, Fault::Elsewhere) {
            Self::Elsewhere
        } else {
            Self::Fault(fault.to_string())
        }
    }
}

impl From<IndexFault> for AdminError {
    fn from(fault: IndexFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl From<HashingFault> for AdminError {
    fn from(fault: HashingFault) -> Self {
        Self::Fault(fault.to_string())
    }
}

impl From<Problems> for AdminError {
    fn from(problems: Problems) -> Self {
        Self::Refused(problems.into_list().join("; "))
    }
}

impl AdminReply {
    fn of(outcome: Result<AdminResult, AdminError>) -> Self {
        match outcome {
            Ok(result) => Self::Done(result),
            Err(AdminError::Refused(why)) => Self::Refused(why),
            Err(error) => {
                tracing::error!(fault = %error, "an operator's command failed");
                Self::Failed(error.to_string())
            }
        }
    }
}

/// The first bytes of a command among what nodes send to the leader, which JSON follows; MessagePack
/// never uses the first of them.
const MARK: [u8; 2] = [0xc1, 0xc2];

/// A command that was given at a node which does not lead.
#[derive(Clone, Serialize, Deserialize)]
struct ForwardedCommand {
    by: Operator,
    command: AdminCommand,
}

/// Carries out commands of other nodes, once the server has an [`Administration`]. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct ForwardedCommands(Arc<OnceLock<Weak<Administration>>>);

impl ForwardedCommands {
    /// Has commands of other nodes carried out.
    pub(crate) fn carry_out_by(&self, administration: &Arc<Administration>) {
        // A server has one administration, set when it starts.
        drop(self.0.set(Arc::downgrade(administration)));
    }

    /// Answers a command that another node forwarded; `None` if the bytes are something else.
    pub(crate) async fn answer(&self, packed: &[u8]) -> Option<Vec<u8>> {
        let packed = packed.strip_prefix(&MARK)?;
        let reply = match (serde_json::from_slice(packed), self.0.get().and_then(Weak::upgrade)) {
            (Ok(forwarded), Some(administration)) => administration.reply(forwarded).await,
            (Err(_), _) | (_, None) => LeaderReply::NotLeading,
        };
        Some(msgpack::to_vec_named(&reply).expect("plain values are always written"))
    }
}

/// The URL that users open.
pub fn base_url(settings: &ServerSettings) -> String {
    let scheme = if settings.certificate.is_some() { "https" } else { "http" };
    let listen = || format!("{scheme}://{}", settings.listen);
    settings.public_url.clone().unwrap_or_else(listen)
}

/// Describes the queue of mails, and tries to reach the mail server.
async fn mail_view(mails: &Mails) -> MailView {
    let server = mails.server().server().to_owned();
    let unreachable = mails.server().reach().await;
    let unreachable = unreachable.err();
    match mails.queue().await {
        Ok(queue) => MailView {
            server,
            unreachable,
            waiting: queue.waiting,
            dead: queue.dead.len(),
            last_dead: queue.dead.first().map(|dead| {
                format!("a {} mail to user {}: {}", dead.kind.name(), dead.user, dead.reason)
            }),
        },
        Err(fault) => MailView {
            server,
            unreachable: unreachable.or_else(|| Some(fault.to_string())),
            waiting: 0,
            dead: 0,
            last_dead: None,
        },
    }
}

impl Administration {
    /// Carries out a command on behalf of an operator. Changes are durable and noted in the audit
    /// log before the reply.
    pub async fn fulfil(&self, command: AdminCommand, by: Operator) -> AdminReply {
        match (self.attempt(command.clone(), by.clone()).await, self.directory.link()) {
            (Err(AdminError::Elsewhere), Some(link)) => {
                self.have_led(link, &ForwardedCommand { by, command }).await
            }
            (outcome, _) => AdminReply::of(outcome),
        }
    }

    /// Has the node that leads carry out a command of which nothing was done here.
    async fn have_led(&self, link: &Arc<dyn NodeLink>, forwarded: &ForwardedCommand) -> AdminReply {
        let pack = |_| {
            let packed = serde_json::to_vec(forwarded).expect("plain values are always written");
            [&MARK[..], &packed].concat().into()
        };
        match link.have_led(|| false, pack).await {
            Ok(CarriedOut::There(reply)) => reply,
            Ok(CarriedOut::Here(_act)) => {
                let ForwardedCommand { by, command } = forwarded.clone();
                AdminReply::of(self.attempt(command, by).await)
            }
            Err(fault) => AdminReply::of(Err(fault.into())),
        }
    }

    /// Carries out another node's command, if this node leads.
    async fn reply(&self, forwarded: ForwardedCommand) -> LeaderReply<AdminReply> {
        let ForwardedCommand { by, command } = forwarded;
        let Some(_act) = self.directory.link().and_then(|link| link.begin_act()) else {
            return LeaderReply::NotLeading;
        };
        match self.attempt(command, by).await {
            Err(AdminError::Elsewhere) => LeaderReply::NotLeading,
            outcome => LeaderReply::Carried(AdminReply::of(outcome)),
        }
    }

    async fn attempt(
        &self,
        command: AdminCommand,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        match command {
            AdminCommand::AddUser(wanted) => self.add_user(&wanted, by).await,
            AdminCommand::ListUsers { after } => self.list_users(after).await,
            AdminCommand::DisableUser { user } => self.disable_user(&user, by).await,
            AdminCommand::EnableUser { user } => self.enable_user(&user, by).await,
            AdminCommand::SetRole { user, role } => self.set_role(&user, role.as_deref(), by).await,
            AdminCommand::ResetPassword { user, password } => {
                self.reset_password(&user, password, by).await
            }
            AdminCommand::ResetFactors { user } => self.reset_factors(&user, by).await,
            AdminCommand::RecoverUser { user } => self.recovery_link(&user, by).await,
            AdminCommand::BeginBackup => {
                self.note(by, AdminAct::BackupTaken).await?;
                Ok(self.place())
            }
            AdminCommand::TellPlace => Ok(self.place()),
            AdminCommand::TellNodes => match &self.membership {
                Some(membership) => Ok(AdminResult::Nodes(nodes::nodes_view(membership).await)),
                None => {
                    Err(AdminError::Refused("this server runs alone, without --nats".to_owned()))
                }
            },
            AdminCommand::TellServer => match &self.settings {
                Some(settings) => {
                    Ok(AdminResult::Server(Box::new(self.server_view(settings).await)))
                }
                None => Err(AdminError::Refused("no server runs on this data".to_owned())),
            },
            AdminCommand::BringMedia(wanted) => match &self.media {
                Some(media) => Ok(AdminResult::Media { missing: media.bring(wanted).await? }),
                None => Err(AdminError::Refused("no server runs that could fetch them".to_owned())),
            },
            AdminCommand::Drain => {
                self.drain.notify_one();
                Ok(AdminResult::Draining)
            }
            AdminCommand::AcceptClock => {
                let moved_millis = self.clock.accept();
                self.note(by, AdminAct::ClockAccepted).await?;
                Ok(AdminResult::Clock { moved_millis })
            }
        }
    }

    /// The end of the durable journal, and the number of the history.
    fn place(&self) -> AdminResult {
        let end = self.directory.context().archive.journal.end().get();
        AdminResult::Place { end, history: self.history }
    }

    async fn server_view(&self, settings: &ServerSettings) -> ServerView {
        let readiness = self.directory.context().readiness().await;
        let node = self.membership.as_ref().and_then(|it| it.readiness().err());
        let not_ready = match node {
            _ if !readiness.is_given() => Some(format!(
                "journal {}, index {}, reads {}, writes {}",
                readiness.journal, readiness.index, readiness.reads, readiness.writes
            )),
            node => node.map(|reason| reason.to_string()),
        };
        let set = self.directory.context().accounts.place_settings().await.unwrap_or_default();
        let mut settings = settings.clone();
        if let (false, Some(sign_up)) = (settings.is_registration_fixed, set.sign_up) {
            settings.is_registration_open = sign_up == SignUp::Open;
        }
        let host = host_of(self.directory.context().instance.public_url());
        let accounts = &self.directory.context().accounts;
        let passkeys_elsewhere = accounts.passkeys_elsewhere(host).await.ok();
        ServerView {
            history: self.history,
            settings,
            open_files: process::open_files_limit(),
            memory: process::memory_limit(),
            time: self.clock.now().wall.seconds(),
            clock_refused_seconds: self.clock.refused_seconds(),
            not_ready,
            mail: match &self.mails {
                Some(mails) => Some(mail_view(mails).await),
                None => None,
            },
            passkeys_elsewhere,
        }
    }

    async fn recovery_link(&self, who: &str, by: Operator) -> Result<AdminResult, AdminError> {
        let path = self.make_recovery_link(who, by).await?;
        Ok(AdminResult::RecoveryLink { path, base: self.settings.as_ref().map(base_url) })
    }

    async fn note(&self, by: Operator, act: AdminAct) -> Result<(), AdminError> {
        Ok(self.directory.run(Errand::Note(AuditFact::Administered { by, act })).await?)
    }
}
