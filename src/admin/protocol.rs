//! The language of the admin socket: one JSON object on one line, and one back.
//!
//! ```text
//! → {"v": 1, "do": "disable_user", "user": "ana@example.org"}
//! ← {"done": {"user": {"id": "10000001", …}}}      or {"refused": "…"} or {"failed": "…"}
//! ```
//!
//! Server and tools are one binary, but a server may run on while its file is replaced:
//! so requests name a version, and one that is unknown is refused with both numbers.

use serde::{Deserialize, Serialize};

/// The version that this binary speaks.
pub const VERSION: u32 = 1;
/// Bytes of one line at most.
pub const LINE_BYTES: usize = 1 << 20;
/// Users told with one reply.
pub const USERS_AT_ONCE: usize = 1000;

/// A line of an operator.
#[derive(Serialize, Deserialize)]
pub struct AdminRequest {
    /// In which version it is written.
    pub v: u32,
    /// What is to be done.
    #[serde(flatten)]
    pub command: AdminCommand,
}

/// What an operator can ask for. A `user` is an id or an email address.
#[derive(Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum AdminCommand {
    /// Makes an account, also while registration is closed.
    AddUser(NewUser),
    /// Lists accounts in the order of their ids.
    ListUsers {
        /// Those after this id.
        #[serde(default)]
        after: Option<u64>,
    },
    /// Shuts an account.
    DisableUser {
        /// The user: an id, an email address or a phone number.
        user: String,
    },
    /// Opens an account again.
    EnableUser {
        /// The user: an id, an email address or a phone number.
        user: String,
    },
    /// Gives an account another password, and ends its tokens.
    ResetPassword {
        /// The user: an id, an email address or a phone number.
        user: String,
        /// The new one.
        password: String,
    },
    /// Tells where everything durable ends, and notes that a copy is taken.
    BeginBackup,
    /// Tells where everything durable ends.
    TellPlace,
    /// Believes the machine's clock, although it jumped.
    AcceptClock,
    /// Tells which nodes live, and how the log stands.
    TellNodes,
    /// Brings pictures and files to the disk of this node from where every node finds them.
    BringMedia(MediaNames),
    /// Ends the server as a signal does: in order.
    Drain,
}

/// Pictures and files that are wanted on a disk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MediaNames {
    /// What the pictures are called.
    #[serde(default)]
    pub images: Vec<String>,
    /// SHA-256 of each content in hexadecimal digits, and how many bytes it has.
    #[serde(default)]
    pub files: Vec<(String, u64)>,
}

/// An account to be made.
#[derive(Serialize, Deserialize)]
pub struct NewUser {
    /// What they are called.
    pub name: String,
    /// Where they log in with.
    pub email: String,
    /// How to reach them by SMS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// What they log in with.
    pub password: String,
}

/// What comes back.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminReply {
    /// It is done.
    Done(AdminResult),
    /// The rules say no, for this reason.
    Refused(String),
    /// It could not be done.
    Failed(String),
}

/// What there is to tell.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminResult {
    /// The account, as it is now.
    User(AccountView),
    /// Some accounts.
    Users {
        /// In the order of their ids.
        users: Vec<AccountView>,
        /// Whether there are more after them.
        more: bool,
    },
    /// Where the journal ends.
    Place {
        /// The first position after everything durable.
        end: u64,
        /// The number of this history.
        history: u32,
    },
    /// The time was moved.
    Clock {
        /// By so many milliseconds; negative is back.
        moved_millis: i64,
    },
    /// The nodes.
    Nodes(NodesView),
    /// The pictures and files are on the disk.
    Media {
        /// Those that no node finds.
        missing: MediaNames,
    },
    /// The server is about to end.
    Draining,
}

/// Nodes as operators see them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodesView {
    /// Those that live, in the order of their names.
    pub nodes: Vec<NodeView>,
    /// Into how many parts the conversations are divided.
    pub shards: u32,
    /// The log's servers.
    pub engine: EngineView,
}

/// A node as operators see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeView {
    /// What it is called.
    pub name: String,
    /// Whether it serves and is not behind.
    pub ready: bool,
    /// Up to where it shows the journal.
    pub position: u64,
    /// How many parts of the conversations are its.
    pub shards: u32,
}

/// The log's servers as operators see them. What they did not tell in time is absent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EngineView {
    /// How many keep the log and can be reached.
    pub servers: Option<usize>,
    /// Which of them leads.
    pub leader: Option<String>,
    /// How many are to keep it.
    pub replicas: Option<usize>,
    /// Whether they sync before they acknowledge, if a monitoring port tells.
    pub sync_always: Option<bool>,
}

/// An account as operators see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AccountView {
    /// Its id.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// Where they log in with.
    pub email: String,
    /// How to reach them by SMS.
    pub phone_number: Option<String>,
    /// Since when, in Unix seconds.
    pub created_at: u64,
    /// Since when it is shut, in Unix seconds, if it is.
    pub disabled_at: Option<u64>,
    /// Tokens that work.
    pub tokens: usize,
}
