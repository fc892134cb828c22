//! The command line: the server, which needs no command, and the tools around it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cli::when::Since;
use crate::config::{self, Options, UsageError};

/// What to do, and how.
#[derive(Debug, Parser)]
#[command(
    name = "coterie",
    version,
    about = "An open, self-hosted group-messaging server",
    after_help = "Without a command, the server runs.",
    args_conflicts_with_subcommands = true
)]
pub struct CommandLine {
    /// What to do; the server runs if absent
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the server runs
    #[command(flatten)]
    pub serve: Options,
}

impl CommandLine {
    /// Reads the command line and the environment.
    ///
    /// # Errors
    /// When something in them is unknown or makes no sense. `--help` and `--version`
    /// print and exit here.
    pub fn read() -> Result<Self, UsageError> {
        config::read()
    }
}

/// What the program does.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server (the default)
    Serve(Box<Options>),
    /// Anything else
    #[command(flatten)]
    Tool(Tool),
}

/// What the program does beside serving.
#[derive(Debug, Subcommand)]
pub enum Tool {
    /// Handle accounts, also while the server runs and registration is closed
    User {
        /// What to do with them
        #[command(subcommand)]
        act: UserAct,
    },
    /// Print the audit log: log-ins, tokens, owners, removals, acts of operators
    Audit(AuditArgs),
    /// Verify the data; 0 is fine, 1 something is wrong, 2 it could not be looked at
    Check(CheckArgs),
    /// Make the index anew from the journal, of a stopped server
    Rebuild(DataDirArgs),
    /// Handle the clock of a running server
    Clock {
        /// What to do with it
        #[command(subcommand)]
        act: ClockAct,
    },
    /// Show the nodes that live, and how their log stands; asks the one that runs on this data
    Nodes(NodesArgs),
    /// End the server that runs on this data, in order
    Drain(DataDirArgs),
    /// Copy everything into an empty directory, also while the server runs
    Backup {
        /// Where the copy goes: an empty directory, or none yet
        to: PathBuf,
        /// Whose data
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// Put a backup into an empty data directory
    Restore {
        /// Where the copy lies
        from: PathBuf,
        /// Where it goes
        #[command(flatten)]
        place: DataDirArgs,
    },
}

/// Where the data lies.
#[derive(Debug, Clone, Args)]
pub struct DataDirArgs {
    /// Where everything lies that must survive
    #[arg(long, env = "COTERIE_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Filter of the log on stderr
    #[arg(long, env = "COTERIE_LOG", default_value = "warn")]
    pub log: String,
}

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub enum UserAct {
    /// Make an account, also while registration is closed
    Add {
        /// What they are called
        #[arg(long)]
        name: String,
        /// Where they log in with
        #[arg(long)]
        email: String,
        /// How to reach them by SMS
        #[arg(long)]
        phone: Option<String>,
        /// How the password is chosen
        #[command(flatten)]
        password: PasswordArgs,
        /// Of which installation
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// List all accounts
    List {
        /// One JSON object per line
        #[arg(long)]
        json: bool,
        /// Of which installation
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// Shut an account: no log-in, and its tokens are dead at once
    Disable(AccountArgs),
    /// Let a shut account log in again
    Enable(AccountArgs),
    /// Give an account another password; its tokens are dead at once
    ResetPassword {
        /// How the password is chosen
        #[command(flatten)]
        password: PasswordArgs,
        /// Whose
        #[command(flatten)]
        named: AccountArgs,
    },
}

/// What is checked, and how it is told.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The journal alone, as one JSON object: where it ends, and a value that is the same at
    /// every node whose journal ends there
    #[arg(long)]
    pub json: bool,
    /// Of which installation
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// How nodes are shown.
#[derive(Debug, Args)]
pub struct NodesArgs {
    /// One JSON object, for programs
    #[arg(long)]
    pub json: bool,
    /// Whose node
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// What can be done with the clock.
#[derive(Debug, Subcommand)]
pub enum ClockAct {
    /// Believe the machine's clock now, although it jumped
    Accept(DataDirArgs),
}

/// An account.
#[derive(Debug, Args)]
pub struct AccountArgs {
    /// The id or the email address of the account
    pub user: String,
    /// Of which installation
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// How a password is chosen. Never on the command line, where others can read it.
#[derive(Debug, Clone, Args)]
pub struct PasswordArgs {
    /// Make one up and print it, instead of asking for it (or reading a line, where no
    /// terminal is)
    #[arg(long)]
    pub generate: bool,
}

/// Which part of the audit log.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// From then on: 2026-01-31, 2026-01-31T08:00:00Z, or so long ago: 7d, 12h
    #[arg(long)]
    pub since: Option<Since>,
    /// About this account only: its id or email address
    #[arg(long)]
    pub user: Option<String>,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Of which installation
    #[command(flatten)]
    pub place: DataDirArgs,
}
