//! The reasons for which a reader is closed: the codes of the push protocol.

/// Why a session is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    /// The code in the push protocol.
    pub code: u16,
    /// The reason in words.
    pub why: &'static str,
}

impl Close {
    /// The token is unknown, revoked or expired.
    pub const TOKEN: Self = Self { code: 4401, why: "token invalid or revoked" };
    /// The secret does not match, or has ended; the bot is off or gone; or its creator's account is
    /// disabled.
    pub const BOT: Self = Self { code: 4401, why: "no such bot, or it may not hear" };
    /// The token shows neither what is in groups nor what is in chats.
    pub const SCOPE: Self = Self { code: 4403, why: "token lacks messages:read or dms:read" };
    /// The server is about to stop.
    pub const DRAINING: Self = Self { code: 4003, why: "draining" };
    /// This node has not caught up with what another node told the client; reconnecting with the
    /// cursor helps.
    pub const BEHIND: Self = Self { code: 4003, why: "behind the other nodes" };
    /// The reader was dropped; nobody is told this reason.
    pub const GONE: Self = Self { code: 1000, why: "gone" };
    /// A fault of the server.
    pub const INTERNAL: Self = Self { code: 4000, why: "internal" };
    /// The client took nothing for too long; nothing is lost.
    pub const TOO_SLOW: Self = Self { code: 4002, why: "too slow" };
    /// The client sends too much; it may reconnect and resume.
    pub const RATE: Self = Self { code: 4004, why: "rate limited" };
    /// The client sent nothing for too long.
    pub const SILENT: Self = Self { code: 4001, why: "no client frame for too long" };
    /// A frame is binary or not a JSON object.
    pub const FORM: Self = Self { code: 4400, why: "not a JSON object" };
    /// No `hello` arrived in time.
    pub const NO_HELLO: Self = Self { code: 4408, why: "no hello" };
    /// The user has too many sockets open.
    pub const TOO_MANY: Self = Self { code: 4409, why: "too many sockets of one user" };
    /// A frame exceeds the size limit.
    pub const TOO_LARGE: Self = Self { code: 4413, why: "frame too large" };
    /// A version of the protocol that this server does not speak; reconnecting does not help.
    pub const VERSION: Self = Self { code: 4426, why: "version not served" };
}
