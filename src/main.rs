//! The binary: reads options, starts the server, waits for a signal.

use std::io::Write;
use std::process::ExitCode;

use coterie::app::{self, Surroundings};
use coterie::config::{Command, Options};
use coterie::telemetry;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("coterie: {line}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let options = Options::read().map_err(|error| error.to_string())?;
    telemetry::start(&options.log)?;
    match options.command {
        Command::Serve => actix::System::new().block_on(serve(options)),
    }
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
