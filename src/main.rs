//! The binary: reads the command line, then serves until a signal comes, or runs a tool.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{self, ExitCode};

use coterie::boot::services::Surroundings;
use coterie::cli::command::{Command, CommandLine};
use coterie::config::Options;
use coterie::descriptors::{Descriptors, PassedSockets};
use coterie::journal::JournalFault;
use coterie::{boot, cli, log, panics};
use rustix::fs::Mode;
use rustix::process::umask;
use rustix::thread::{disable_transparent_huge_pages, transparent_huge_pages_are_disabled};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub(crate) fn main() -> ExitCode {
    // Whatever is made holds what users wrote: only the owner may read it.
    umask(Mode::from_raw_mode(0o077));
    #[cfg(feature = "next-record")]
    coterie::journal::write_as_next_version("a field of the next version");
    match run() {
        Ok(code) => code,
        Err(line) => {
            cli::complain(&line);
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let line = CommandLine::read().map_err(|error| error.to_string())?;
    match line.command {
        None => run_server(line.serve),
        Some(Command::Serve(options)) => run_server(*options),
        Some(Command::Tool(tool)) => cli::run(*tool),
    }
}

fn run_server(options: Options) -> Result<ExitCode, String> {
    let mut options = options.with_secrets().map_err(|error| error.to_string())?;
    log::start(&options.log, options.log_format)?;
    panics::tell();
    if !options.huge_pages
        && let Err(error) = run_without_huge_pages()
    {
        tracing::debug!(%error, "disabling huge pages failed; the server may use more memory");
    }
    // Even an empty event loop takes some descriptors, and panics if there are none.
    Descriptors::raise().map_err(|error| error.to_string())?;
    let passed = PassedSockets::take()
        .map_err(|error| format!("the sockets of the service manager cannot be used: {error}"))?;
    let is_activated = passed.listen.is_some();
    // What the server opens to whom depends on the address, so a passed one counts from here on.
    options.listen = passed.address().or(options.again).unwrap_or(options.listen);
    match actix::System::new().block_on(serve(&options, passed))? {
        Ended::AsTold => Ok(ExitCode::SUCCESS),
        Ended::ToBeMended(_) if is_activated => {
            Err("the service manager has to restart the server, which repairs the journal".into())
        }
        Ended::ToBeMended(address) => Err(format!("restarting failed: {}", start_again(address))),
    }
}

/// Why the server ended.
enum Ended {
    AsTold,
    /// Its journal only has to be opened again. The address is the one on which it listened.
    ToBeMended(SocketAddr),
}

async fn serve(options: &Options, passed: PassedSockets) -> Result<Ended, String> {
    let surroundings = Surroundings { passed, ..Surroundings::default() };
    let running = boot::start(options, surroundings).map_err(|error| error.to_string())?;
    let stop = signal();
    let address = running.addresses.listen;
    if options.again.is_none() {
        let mut stdout = std::io::stdout();
        let line = writeln!(stdout, "coterie listening on {}", running.addresses.url);
        // If stdout is closed, nobody wants the line; the server serves anyway.
        drop(line.and_then(|()| stdout.flush()));
    }
    match running.until(stop).await {
        Ok(()) => Ok(Ended::AsTold),
        Err(error) if is_mended_at_start(&error) => {
            tracing::warn!(%error, "restarting to repair the journal");
            Ok(Ended::ToBeMended(address))
        }
        Err(error) => Err(format!("the server failed: {error}")),
    }
}

fn is_mended_at_start(error: &io::Error) -> bool {
    let fault = error.get_ref().and_then(|it| it.downcast_ref::<JournalFault>());
    fault.is_some_and(JournalFault::is_mended_at_start)
}

/// Disables huge pages, and replaces this process by a new run of the same program, for which the
/// system keeps that setting: the allocator requests huge pages before `main` begins, and those
/// that it has would stay.
fn run_without_huge_pages() -> io::Result<()> {
    if transparent_huge_pages_are_disabled()? {
        return Ok(());
    }
    disable_transparent_huge_pages(true)?;
    Err(run_again(&[]))
}

/// Replaces this process by a new run of the same program, which keeps nothing but the address.
/// Returns only if that fails.
fn start_again(address: SocketAddr) -> io::Error {
    run_again(&["--again", &address.to_string()])
}

/// Replaces this process by a new run of the same program with more arguments. Returns only if that
/// fails.
fn run_again(more: &[&str]) -> io::Error {
    const OWN: &str = "/proc/self/exe";
    let line = match fs::read("/proc/self/cmdline") {
        Ok(line) => line,
        Err(error) => return error,
    };
    let words = line.strip_suffix(&[0]).unwrap_or(&line).split(|byte| *byte == 0);
    // The file of the program may have been replaced. The new file is as good, and it shows its
    // name in the process list.
    let program = fs::read_link(OWN).ok().filter(|it| it.exists());
    process::Command::new(program.unwrap_or_else(|| OWN.into()))
        .args(words.skip(1).map(OsStr::from_bytes))
        .args(more)
        .exec()
}

/// Resolves at SIGTERM or SIGINT. It listens from this call on, not from the first poll, since a
/// signal may come as soon as the first line is printed.
fn signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let heard = signal(SignalKind::terminate()).and_then(|term| {
        let int = signal(SignalKind::interrupt())?;
        Ok((term, int))
    });
    async move {
        let Ok((mut term, mut int)) = heard else {
            tracing::error!(
                "installing the signal handlers failed; stop the server with SIGKILL, which loses \
                 nothing"
            );
            return std::future::pending().await;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    }
}
