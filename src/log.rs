//! The log: one line on stderr for each event, for people or for programs, with the id of the
//! request that it belongs to. It never contains message text, tokens, phone numbers or email
//! addresses, except that SMS are written to it while there is no gateway (`notify/sms.rs`).

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::IsTerminal;
use std::time::{Duration, UNIX_EPOCH};

use clap::ValueEnum;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::http::request_id;
use base::clock::{Clock, SystemClock};
use domain::visible::{Escaped, EscapedJson};

/// The format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people
    Text,
    /// One JSON object per line
    Json,
}

/// Silences what the HTTP library logs about malformed requests: that is a client's mistake, and
/// not worth a line unless the filter names the library.
const QUIET: &str = "actix_http=off";

/// The modules of the program's own crate that log. Everything else logs under the name of its crate,
/// `coterie_journal` for instance, which lines and filters show as the module `coterie::journal`.
const OWN_MODULES: [&str; 6] = ["admin", "boot", "cli", "config", "http", "panics"];

/// The filter with the names of crates in place of modules.
fn with_crates(filter: &str) -> String {
    let mut parts = filter.split("coterie::");
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_own = OWN_MODULES.iter().any(|module| part.starts_with(module));
        named.push_str(if is_own { "coterie::" } else { "coterie_" });
        named.push_str(part);
    }
    named
}

/// The module that logs, with crates as modules.
fn target<'a>(meta: &Metadata<'a>) -> Cow<'a, str> {
    match meta.target().strip_prefix("coterie_") {
        Some(module) => Cow::Owned(format!("coterie::{module}")),
        None => Cow::Borrowed(meta.target()),
    }
}

/// Starts the log with this filter, like `info` or `coterie=debug`.
///
/// # Errors
/// If the filter is invalid.
pub fn start(filter: &str, format: LogFormat) -> Result<(), String> {
    let wanted =
        if filter.contains("actix_http") { filter.to_owned() } else { format!("{QUIET},{filter}") };
    let filter = EnvFilter::try_new(with_crates(&wanted))
        .map_err(|error| format!("the log filter {filter:?} is invalid: {error}"))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .event_format(Lines { format, clock: SystemClock::new() });
    log.finish().try_init().map_err(|error| error.to_string())
}

/// Formats events as lines.
struct Lines {
    format: LogFormat,
    clock: SystemClock,
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let wall = Duration::from_millis(self.clock.now().wall.millis());
        let time = humantime::format_rfc3339_millis(UNIX_EPOCH + wall).to_string();
        match self.format {
            LogFormat::Text => text(writer, event, &time),
            LogFormat::Json => json(writer, event, time),
        }
    }
}

fn text(mut out: Writer<'_>, event: &Event<'_>, time: &str) -> fmt::Result {
    let meta = event.metadata();
    let (colour, plain) =
        if out.has_ansi_escapes() { (colour(meta.level()), "\x1b[0m") } else { ("", "") };
    write!(out, "{time} {colour}{:>5}{plain} {}:", meta.level(), target(meta))?;
    let mut said = Said::default();
    event.record(&mut said);
    for (name, value) in said.in_order() {
        match name {
            "message" => write!(out, " {}", Escaped(&value.shown))?,
            name if value.is_text => write!(out, " {name}={:?}", value.shown)?,
            name => write!(out, " {name}={}", Escaped(&value.shown))?,
        }
    }
    writeln!(out)
}

const fn colour(level: &Level) -> &'static str {
    match *level {
        Level::ERROR => "\x1b[31m",
        Level::WARN => "\x1b[33m",
        Level::INFO => "\x1b[32m",
        Level::DEBUG => "\x1b[34m",
        Level::TRACE => "\x1b[35m",
    }
}

fn json(mut out: Writer<'_>, event: &Event<'_>, time: String) -> fmt::Result {
    let meta = event.metadata();
    let mut line = Map::new();
    line.insert("timestamp".to_owned(), Value::String(time));
    line.insert("level".to_owned(), Value::String(meta.level().to_string()));
    line.insert("target".to_owned(), Value::String(target(meta).into_owned()));
    let mut said = Said::default();
    event.record(&mut said);
    for (name, value) in said.in_order() {
        // A number that JSON does not have, like infinity, stays text.
        let plain = value.is_plain.then(|| serde_json::from_str(&value.shown).ok()).flatten();
        line.insert(name.to_owned(), plain.unwrap_or(Value::String(value.shown)));
    }
    writeln!(out, "{}", EscapedJson(&Value::Object(line).to_string()))
}

/// The fields of an event, in the order in which they were recorded.
#[derive(Default)]
struct Said(Vec<(&'static str, Told)>);

struct Told {
    shown: String,
    is_text: bool,
    /// Whether it is a number or a truth value.
    is_plain: bool,
}

impl Said {
    /// Returns the message first, then the other fields, then the id of the request.
    fn in_order(mut self) -> Vec<(&'static str, Told)> {
        self.0.sort_by_key(|(name, _)| *name != "message");
        if let Some(id) = request_id::current() {
            self.0.push(("request.id", Told { shown: id, is_text: false, is_plain: false }));
        }
        self.0
    }

    fn add(&mut self, field: &Field, shown: String, is_text: bool, is_plain: bool) {
        self.0.push((field.name(), Told { shown, is_text, is_plain }));
    }
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, format!("{value:?}"), false, false);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value.to_owned(), true, false);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.to_string(), false, true);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.to_string(), false, true);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.to_string(), false, true);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.to_string(), false, true);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use serde_json::json;
    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[test]
    fn filters_name_crates_as_modules() {
        let cases = [
            ("info", "info"),
            ("coterie=debug", "coterie=debug"),
            ("coterie::journal=debug,warn", "coterie_journal=debug,warn"),
            ("coterie::http::once=debug", "coterie::http::once=debug"),
            ("coterie::cli=info,coterie::index=warn", "coterie::cli=info,coterie_index=warn"),
        ];
        for (filter, expected) in cases {
            assert_eq!(with_crates(filter), expected);
        }
    }

    /// Keeps what is logged.
    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Page {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    fn logged(format: LogFormat, says: impl FnOnce()) -> String {
        let page = Page::default();
        let log = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(page.clone())
            .event_format(Lines { format, clock: SystemClock::new() });
        tracing::subscriber::with_default(log.finish(), says);
        String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn programs_read_numbers_and_truth_values_as_such() {
        let says = || {
            let is_full = true;
            let share = 0.25;
            let least = -7;
            let most = u64::MAX;
            tracing::info!(is_full, share, least, most, name = "7", odd = f64::INFINITY, "told");
        };
        let line: Value = serde_json::from_str(&logged(LogFormat::Json, says)).unwrap();
        let told = ["is_full", "share", "least", "most", "name", "odd", "message"];
        assert_eq!(
            told.map(|name| line[name].clone()),
            [
                json!(true),
                json!(0.25),
                json!(-7),
                json!(u64::MAX),
                json!("7"),
                json!("inf"),
                json!("told")
            ]
        );
        let line = logged(LogFormat::Text, says);
        assert!(line.contains(" told is_full=true share=0.25 least=-7 "), "{line}");
    }
}
