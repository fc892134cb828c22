//! The protocol of the admin socket: one JSON object per line, one line back for each.
//!
//! ```text
//! → {"v": 1, "do": "disable_user", "user": "ana@example.org"}
//! ← {"done": {"user": {"id": "10000001", …}}}      or {"refused": "…"} or {"failed": "…"}
//! ```
//!
//! Server and tools are one binary, but a server may keep running while its file is replaced. So
//! each request names its version, and an unknown version is refused with both numbers.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The protocol version of this binary.
pub const VERSION: u32 = 1;
/// The maximum length of a request line, in bytes.
pub const LINE_BYTES: usize = 1 << 20;
/// The maximum number of users in one reply.
pub const USERS_AT_ONCE: usize = 1000;

/// A request of an operator.
#[derive(Serialize, Deserialize)]
pub struct AdminRequest {
    /// The protocol version of the request.
    pub v: u32,
    /// The command.
    #[serde(flatten)]
    pub command: AdminCommand,
}

/// A command of an operator. A `user` is an id or an email address.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum AdminCommand {
    /// Creates an account, also while registration is closed.
    AddUser(NewUser),
    /// Lists accounts in the order of their ids.
    ListUsers {
        /// Lists only accounts with a higher id.
        #[serde(default)]
        after: Option<u64>,
    },
    /// Disables an account.
    DisableUser {
        /// The user's id or email address.
        user: String,
    },
    /// Enables a disabled account again.
    EnableUser {
        /// The user's id or email address.
        user: String,
    },
    /// Gives an account the role of an operator, or takes it.
    SetRole {
        /// The user's id or email address.
        user: String,
        /// `admin`, `moderator` or `auditor`; `None` takes the role.
        #[serde(default)]
        role: Option<String>,
    },
    /// Sets a new password for an account and revokes its tokens.
    ResetPassword {
        /// The user's id or email address.
        user: String,
        /// The new password.
        password: String,
    },
    /// Makes a link with which the user of an account sets a new password.
    RecoverUser {
        /// The user's id or email address.
        user: String,
    },
    /// Removes the second factor of an account and the trust in its devices.
    ResetFactors {
        /// The user's id or email address.
        user: String,
    },
    /// Returns the end of the durable journal, and notes in the audit log that a backup is taken.
    BeginBackup,
    /// Returns the end of the durable journal.
    TellPlace,
    /// Accepts the machine's clock, although it jumped.
    AcceptClock,
    /// Lists the nodes that are alive, and the state of the log.
    TellNodes,
    /// Describes the running server: its settings, limits, clock and readiness.
    TellServer,
    /// Fetches pictures and files to this node's disk from the store that all nodes share.
    BringMedia(MediaNames),
    /// Shuts the server down in order, as SIGTERM does.
    Drain,
}

/// Names of pictures and files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MediaNames {
    /// The names of the pictures.
    #[serde(default)]
    pub images: Vec<String>,
    /// The SHA-256 of each file's content in hexadecimal digits, and its size in bytes.
    #[serde(default)]
    pub files: Vec<(String, u64)>,
}

/// The account to create.
#[derive(Clone, Serialize, Deserialize)]
pub struct NewUser {
    /// The user's name.
    pub name: String,
    /// The email address to log in with.
    pub email: String,
    /// The phone number for SMS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// The password to log in with.
    pub password: String,
    /// The role of an operator that the account begins with: `admin`, `moderator` or `auditor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
}

/// The reply to a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminReply {
    /// The command was carried out.
    Done(AdminResult),
    /// The rules refuse the command; the reason.
    Refused(String),
    /// The command failed; the reason.
    Failed(String),
}

/// The result of a command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminResult {
    /// The account as it is now.
    User(AccountView),
    /// A page of accounts.
    Users {
        /// The accounts in the order of their ids.
        users: Vec<AccountView>,
        /// Whether more accounts follow.
        more: bool,
    },
    /// A link for a new password, valid for 24 hours.
    RecoveryLink {
        /// The path of the link, with its secret in the fragment.
        path: String,
        /// The URL that users of a running server open; `None` in a tool.
        base: Option<String>,
    },
    /// The end of the journal.
    Place {
        /// The first position after everything durable.
        end: u64,
        /// The number of the installation's history.
        history: u32,
    },
    /// The server's time was moved.
    Clock {
        /// The step in milliseconds; negative is back.
        moved_millis: i64,
    },
    /// The nodes.
    Nodes(NodesView),
    /// The running server.
    Server(Box<ServerView>),
    /// The pictures and files are on the disk.
    Media {
        /// The pictures and files that no node has.
        missing: MediaNames,
    },
    /// The server begins to shut down.
    Draining,
}

/// A server as `coterie doctor` examines it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerView {
    /// The number of the installation's history.
    pub history: u32,
    /// The settings of the server.
    pub settings: ServerSettings,
    /// The number of files and connections that the process may open.
    pub open_files: Option<u64>,
    /// The bytes of memory that the process may use.
    pub memory: Option<u64>,
    /// The server's time, in Unix seconds.
    pub time: u64,
    /// By how many seconds the machine's clock differs from the server's time after a jump that the
    /// server does not accept yet; 0 if there is none.
    pub clock_refused_seconds: i64,
    /// Why the server is not ready; `None` if it is.
    pub not_ready: Option<String>,
    /// The mails of the server; `None` if it sends none.
    #[serde(default)]
    pub mail: Option<MailView>,
    /// The number of passkeys that were made for another host than that of the public URL; `None` if
    /// no server counted them.
    #[serde(default)]
    pub passkeys_elsewhere: Option<usize>,
}

/// The mails of a server, as `coterie doctor` examines them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MailView {
    /// Host and port of the mail server.
    pub server: String,
    /// Why the mail server cannot be reached; `None` if it can.
    pub unreachable: Option<String>,
    /// The number of mails that wait.
    pub waiting: usize,
    /// The number of mails that the server gave up in the last week, at most 100.
    pub dead: usize,
    /// The latest of them and why it was not sent.
    pub last_dead: Option<String>,
}

/// The settings of a server that `coterie doctor` examines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerSettings {
    /// The address on which the server listens.
    pub listen: SocketAddr,
    /// The base URL of links, if it is set.
    pub public_url: Option<String>,
    /// Whether anybody may register.
    pub is_registration_open: bool,
    /// Whether an option says so, rather than a setting or the default.
    #[serde(default)]
    pub is_registration_fixed: bool,
    /// Whether the rate of requests is limited.
    pub is_rate_limited: bool,
    /// The bytes of memory for the index.
    pub index_cache: u64,
    /// The absolute path of the certificate for HTTPS, and that of its key, if the server speaks it.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The names for which the server orders certificates by ACME; empty if it orders none.
    #[serde(default)]
    pub domains: Vec<String>,
    /// The schedule of backups; `None` if there is none.
    #[serde(default)]
    pub backups: Option<BackupSchedule>,
}

/// The schedule of backups, as `coterie doctor` examines it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BackupSchedule {
    /// The place, as people read it.
    pub place: String,
    /// The place if it is a folder.
    pub folder: Option<PathBuf>,
    /// The time between two sets, in seconds.
    pub every: u64,
}

/// The nodes as operators see them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodesView {
    /// The nodes that are alive, in the order of their names.
    pub nodes: Vec<NodeView>,
    /// The number of shards, all of which a node owns to lead.
    pub shards: u32,
    /// The state of the log's servers.
    pub engine: EngineView,
}

/// A node as operators see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeView {
    /// The node's name.
    pub name: String,
    /// Whether the node serves and is not behind the others.
    pub ready: bool,
    /// The position up to which the node shows the journal.
    pub position: u64,
    /// The number of shards that the node owns.
    pub shards: u32,
}

/// The log's servers as operators see them. What they did not report in time is absent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EngineView {
    /// The number of reachable servers that keep the log.
    pub servers: Option<usize>,
    /// The name of the leader.
    pub leader: Option<String>,
    /// The number of servers that are configured to keep the log.
    pub replicas: Option<usize>,
    /// Whether the servers sync before they acknowledge; `None` if no monitoring port reports it.
    pub sync_always: Option<bool>,
}

/// An account as operators see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AccountView {
    /// The account's id.
    pub id: String,
    /// The user's name.
    pub name: String,
    /// The email address to log in with.
    pub email: String,
    /// The phone number for SMS.
    pub phone_number: Option<String>,
    /// When the account was created, in Unix seconds.
    pub created_at: u64,
    /// When the account was disabled, in Unix seconds; `None` if it is enabled.
    pub disabled_at: Option<u64>,
    /// The number of valid tokens.
    pub tokens: usize,
    /// The role of an operator, if the user is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
}
