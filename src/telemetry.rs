//! The log: structured events on stderr. Never message text, tokens, phones or emails.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log with this filter, like `info` or `coterie=debug`.
///
/// # Errors
/// When the filter cannot be understood.
pub fn start(filter: &str) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| format!("the log filter {filter:?} cannot be understood: {error}"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    log.finish().try_init().map_err(|error| error.to_string())
}
