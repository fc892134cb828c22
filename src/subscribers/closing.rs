//! Why a reader is closed: the codes of the push protocol.

/// Why a session is closed: the code and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    /// As the protocol has it.
    pub code: u16,
    /// In words.
    pub why: &'static str,
}

impl Close {
    /// The token is unknown, revoked or at its end.
    pub const TOKEN: Self = Self { code: 4401, why: "token invalid or revoked" };
    /// The secret does not open this bot, the bot is off or gone, or the account of whoever
    /// made it is disabled.
    pub const BOT: Self = Self { code: 4401, why: "no such bot, or it may not hear" };
    /// The server is about to stop.
    pub const DRAINING: Self = Self { code: 4003, why: "draining" };
    /// This node does not show yet what another one told; to come back and resume helps.
    pub const BEHIND: Self = Self { code: 4003, why: "behind the other nodes" };
    /// Nobody reads any more: never said to anybody.
    pub const GONE: Self = Self { code: 1000, why: "gone" };
    /// Our own trouble.
    pub const INTERNAL: Self = Self { code: 4000, why: "internal" };
    /// The client took nothing for too long; nothing is lost.
    pub const TOO_SLOW: Self = Self { code: 4002, why: "too slow" };
    /// The client says too much; it may come back and resume.
    pub const RATE: Self = Self { code: 4004, why: "rate limited" };
    /// The client said nothing for too long.
    pub const SILENT: Self = Self { code: 4001, why: "no client frame for too long" };
    /// A frame that is no JSON object, or binary.
    pub const FORM: Self = Self { code: 4400, why: "not a JSON object" };
    /// No `hello` within its time.
    pub const NO_HELLO: Self = Self { code: 4408, why: "no hello" };
    /// The user has too many sockets open.
    pub const TOO_MANY: Self = Self { code: 4409, why: "too many sockets of one user" };
    /// A frame over its limit.
    pub const TOO_LARGE: Self = Self { code: 4413, why: "frame too large" };
    /// A version that is not spoken here; reconnecting does not help.
    pub const VERSION: Self = Self { code: 4426, why: "version not served" };
}
