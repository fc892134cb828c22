//! The binary: reads the command line, then serves until a signal comes, or runs a tool.

use std::io::Write;
use std::process::ExitCode;

use coterie::app;
use coterie::cli;
use coterie::cli::command::{Command, CommandLine};
use coterie::config::Options;
use coterie::descriptors::Descriptors;
use coterie::log;
use coterie::panics;
use coterie::surroundings::Surroundings;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(line) => {
            eprintln!("coterie: {line}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let line = CommandLine::read().map_err(|error| error.to_string())?;
    match line.command {
        None => run_server(line.serve),
        Some(Command::Serve(options)) => run_server(*options),
        Some(Command::Tool(tool)) => cli::run(tool),
    }
}

fn run_server(options: Options) -> Result<ExitCode, String> {
    log::start(&options.log, options.log_format)?;
    panics::tell();
    // Even an empty event loop takes some, and panics without.
    Descriptors::raise().map_err(|error| error.to_string())?;
    actix::System::new().block_on(serve(options))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(options: Options) -> Result<(), String> {
    let running =
        app::start(&options, Surroundings::default()).map_err(|error| error.to_string())?;
    let stop = signal();
    let mut stdout = std::io::stdout();
    let line = writeln!(stdout, "coterie listening on http://{}", running.address);
    // Whoever closed our stdout does not want the line; the server serves all the same.
    drop(line.and_then(|()| stdout.flush()));
    running.until(stop).await.map_err(|error| format!("the server failed: {error}"))
}

/// Resolves at SIGTERM or SIGINT. Listens from this call on, not from the first poll:
/// whoever reads the first line may send a signal at once.
fn signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let heard = signal(SignalKind::terminate()).and_then(|term| {
        let int = signal(SignalKind::interrupt())?;
        Ok((term, int))
    });
    async move {
        let Ok((mut term, mut int)) = heard else {
            tracing::error!("signals cannot be heard; stop the server with SIGKILL, it is safe");
            return std::future::pending().await;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    }
}
