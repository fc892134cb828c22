//! The command line: the server, which needs no command, and the tools around it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cli::when::Since;
use crate::config::{self, BackupAccess, Options, UsageError};
use backup::place::PlaceOfSet;

/// The command line: options of the server, or a command.
#[derive(Debug, Parser)]
#[command(
    name = "coterie",
    version,
    about = "An open, self-hosted group-messaging server",
    after_help = "Without a command, the server runs.",
    args_conflicts_with_subcommands = true
)]
pub struct CommandLine {
    /// The command; without one, the server runs
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Options of the server
    #[command(flatten)]
    pub serve: Options,
}

impl CommandLine {
    /// Reads the command line and the environment.
    ///
    /// # Errors
    /// If an argument or a variable is unknown or invalid. `--help` and `--version` print and exit
    /// here.
    pub fn read() -> Result<Self, UsageError> {
        config::read()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server (the default)
    Serve(Box<Options>),
    /// The tools
    #[command(flatten)]
    Tool(Box<Tool>),
}

/// The commands other than serving.
#[derive(Debug, Subcommand)]
pub enum Tool {
    /// Manage accounts, also while the server runs and registration is closed
    User {
        /// The action
        #[command(subcommand)]
        act: UserAct,
    },
    /// Print the code with which the first admin is made at /setup
    Setup(DataDirArgs),
    /// Print the audit log: log-ins, tokens, group owners, removals and acts of operators
    Audit(AuditArgs),
    /// Verify the data. Exit code 0: no problems; 1: problems; 2: the check could not run
    Check(CheckArgs),
    /// Examine the machine, the data and the server that runs on it. Exit code 0: no problems; 1:
    /// warnings; 2: errors; 3: the examination failed
    Doctor(DoctorArgs),
    /// Prove on a disk that nothing acknowledged is lost: kills a server of its own at random
    /// moments. Exit code 0: nothing is lost; 1: something is; 2: the proof could not run
    Prove(ProveArgs),
    /// Rebuild the index of a stopped server from its journal
    Rebuild(DataDirArgs),
    /// Manage the clock of a running server
    Clock {
        /// The action
        #[command(subcommand)]
        act: ClockAct,
    },
    /// Print the running nodes and the state of their log, as the node on this data directory sees
    /// them
    Nodes(NodesArgs),
    /// Shut down the server that runs on this data, once its requests are complete
    Drain(DataDirArgs),
    /// Copy everything into an empty directory, also while the server runs
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Backup {
        /// The action; without one, the copy is made
        #[command(subcommand)]
        act: Option<BackupAct>,
        /// Target of the copy: an empty directory, or one that does not exist yet
        #[arg(required = true)]
        to: Option<PathBuf>,
        /// The data to copy
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// Restore a backup into an empty data directory
    Restore {
        /// Directory of the backup, or place of scheduled backups: a directory or
        /// s3://bucket/prefix?endpoint=…&region=…, with @2026-11-20 for the newest one of that day
        /// or before
        from: PlaceOfSet,
        /// Key and credentials
        #[command(flatten)]
        access: BackupAccess,
        /// Target data directory
        #[command(flatten)]
        place: DataDirArgs,
    },
}

/// The data directory of a tool.
#[derive(Debug, Clone, Args)]
pub struct DataDirArgs {
    /// Directory with all data of the server
    #[arg(long, env = "COTERIE_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Filter of the log on stderr, like info or coterie=debug
    #[arg(long, env = "COTERIE_LOG", default_value = "warn")]
    pub log: String,
}

/// Actions on scheduled backups.
#[derive(Debug, Subcommand)]
pub enum BackupAct {
    /// Read every object of every scheduled backup at a place. Exit code 0: no problems; 1:
    /// problems; 2: the place cannot be read
    Verify {
        /// The place: a directory or s3://bucket/prefix?endpoint=…&region=…, with @2026-11-20 for
        /// one backup alone: the newest one of that day or before
        from: PlaceOfSet,
        /// Key and credentials
        #[command(flatten)]
        access: BackupAccess,
        /// Filter of the log on stderr, like info or coterie=debug
        #[arg(long, env = "COTERIE_LOG", default_value = "warn")]
        log: String,
    },
}

/// Actions on accounts.
#[derive(Debug, Subcommand)]
pub enum UserAct {
    /// Create an account, also while registration is closed
    Add {
        /// The user's name
        #[arg(long)]
        name: String,
        /// The email address to log in with
        #[arg(long)]
        email: String,
        /// The phone number for SMS
        #[arg(long)]
        phone: Option<String>,
        /// The role of an operator that the account begins with
        #[arg(long, value_name = "ROLE", value_parser = ["admin", "moderator", "auditor"])]
        operator: Option<String>,
        /// How the password is chosen
        #[command(flatten)]
        password: PasswordArgs,
        /// The installation
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// List all accounts
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
        /// The installation
        #[command(flatten)]
        place: DataDirArgs,
    },
    /// Give an account the role of an operator, or take it: admin, moderator, auditor or none
    Promote {
        /// The account
        #[command(flatten)]
        named: AccountArgs,
        /// The role
        #[arg(value_parser = ["admin", "moderator", "auditor", "none"])]
        role: String,
    },
    /// Disable an account: it cannot log in, and its tokens stop working at once
    Disable(AccountArgs),
    /// Enable a disabled account, so that it can log in again
    Enable(AccountArgs),
    /// Print a link with which the user of an account sets a new password, valid for 24 hours
    Recover(AccountArgs),
    /// Turn off the second factor of an account whose user lost it, and tell the user by mail
    ResetFactors(AccountArgs),
    /// Set a new password for an account; its tokens stop working at once
    ResetPassword {
        /// How the password is chosen
        #[command(flatten)]
        password: PasswordArgs,
        /// The account
        #[command(flatten)]
        named: AccountArgs,
    },
}

/// Scope of the check, and format of the result.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Check the journal alone, and print one JSON object: where the journal ends, and a check
    /// value that is the same at every node whose journal ends there
    #[arg(long)]
    pub json: bool,
    /// The installation
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// How the findings are printed.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print one JSON object, for programs
    #[arg(long)]
    pub json: bool,
    /// The installation
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// Where the proof runs, and for how long.
#[derive(Debug, Args)]
pub struct ProveArgs {
    /// An empty directory on the disk, or one that does not exist yet. It is removed at the end,
    /// unless something is wrong
    pub dir: PathBuf,
    /// How long the server is killed again and again, in hours
    #[arg(long, default_value_t = 8.0, value_parser = hours)]
    pub hours: f64,
    /// The seed of an earlier proof, which repeats its moments
    #[arg(long)]
    pub seed: Option<u64>,
    /// Print one JSON object, for programs
    #[arg(long)]
    pub json: bool,
    /// Filter of the log on stderr, like info or coterie=debug
    #[arg(long, env = "COTERIE_LOG", default_value = "warn")]
    pub log: String,
}

fn hours(text: &str) -> Result<f64, String> {
    let hours: f64 = text.parse().map_err(|_| "a number of hours, like 8 or 0.5".to_owned())?;
    if (0.0..=10_000.0).contains(&hours) {
        Ok(hours)
    } else {
        Err("from 0 to 10000 hours".to_owned())
    }
}

/// How the nodes are printed.
#[derive(Debug, Args)]
pub struct NodesArgs {
    /// Print one JSON object, for programs
    #[arg(long)]
    pub json: bool,
    /// The node that is asked
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// Actions on the clock.
#[derive(Debug, Subcommand)]
pub enum ClockAct {
    /// Accept the machine's clock now, although it jumped
    Accept(DataDirArgs),
}

/// The account that a command is about.
#[derive(Debug, Args)]
pub struct AccountArgs {
    /// The id or the email address of the account
    pub user: String,
    /// The installation
    #[command(flatten)]
    pub place: DataDirArgs,
}

/// How a password is chosen. It is never given on the command line, where other users of the
/// machine could read it.
#[derive(Debug, Clone, Args)]
pub struct PasswordArgs {
    /// Generate a password and print it, instead of asking for one on the terminal (or reading a
    /// line from stdin if there is no terminal)
    #[arg(long)]
    pub generate: bool,
}

/// The selection of audit entries, and their format.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Only entries since then: 2026-01-31, 2026-01-31T08:00:00Z, or a time back from now, like 7d
    /// or 12h
    #[arg(long)]
    pub since: Option<Since>,
    /// Only entries about this account: its id or email address
    #[arg(long)]
    pub user: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// The installation
    #[command(flatten)]
    pub place: DataDirArgs,
}
