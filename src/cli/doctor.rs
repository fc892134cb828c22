//! `coterie doctor`: examines the machine, the data directory and the server that runs on it.
//!
//! Each check makes one finding, also if all is well. Settings are those of the running server;
//! without one, those of the environment.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::admin::protocol::{AdminCommand, AdminResult, MailView, ServerView};
use crate::boot::data_dir;
use crate::boot::data_dir::{DataDirError, DirLock};
use crate::boot::services::mail_server;
use crate::cli::command::DoctorArgs;
use crate::cli::disk::sync_times;
use crate::cli::reach::{self, CommandError, ReachedInstance};
use crate::cli::{complain, say, say_json};
use crate::config::Options;
use crate::http::acme::store::{AcmeStatus, AcmeStore};
use crate::http::certificate::{CertificateFiles, date};
use crate::log::{self, LogFormat};
use backup::place::BackupPlace;
use backup::schedule::BackupStatus;
use base::bounds::places::Places;
use base::bounds::turns::Owner;
use base::clock::{Clock, SystemClock};
use base::metrics::process;
use base::space;
use outgoing::network::Network;
use outgoing::resolver::SystemResolver;
use outgoing::{FetchLimits, LongerBody, Outgoing};
use wire::instance::Instance;

/// The exit code if the doctor could not look.
const COULD_NOT_LOOK: u8 = 3;
/// The file that is written to measure the disk.
const PROBE: &str = "doctor.probe";
/// How often the probe is written. The median counts.
const PROBES: usize = 5;
/// The time for one small write and its `fdatasync` above which posts become slow.
const SLOW_SYNC_MICROS: u64 = 50_000;
/// With fewer free inodes there is a warning: each picture and each file takes some.
const FEW_INODES: u64 = 20_000;
/// With fewer free inodes something is wrong.
const NO_INODES: u64 = 500;
/// With fewer files and connections there is a warning: it leaves about 2,500 connections.
const FEW_FILES: u64 = 4096;
/// With fewer days until a certificate expires there is a warning. Usual clients of certificate
/// authorities renew 30 days before, so a renewal has failed for some time then.
const LAST_DAYS: u64 = 14;
/// The same for a certificate that the server orders itself, with a third of its validity left: 30
/// days of the usual 90.
const LAST_DAYS_OF_ACME: u64 = 10;
/// How late a backup may be beyond two intervals, in seconds: large ones take their time.
const LATE_BACKUP: u64 = 3600;
/// How far the server's time may be from the machine's, in seconds.
const CLOCK_DRIFT: u64 = 2;
/// How much of the answer of `/health/live` is read, and how long the answer may take.
const ANSWER: FetchLimits =
    FetchLimits { bytes: 4096, time: Duration::from_secs(20), longer: LongerBody::Refused };

/// How bad a finding is. The worst one is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Ok,
    Warning,
    Error,
}

/// The result of one check.
#[derive(Debug)]
struct Finding {
    /// The section in the operator's guide.
    code: &'static str,
    severity: Severity,
    /// The result in one sentence.
    text: String,
    /// The advice; empty if all is well.
    advice: &'static str,
}

impl Finding {
    fn ok(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, severity: Severity::Ok, text: text.into(), advice: "" }
    }

    fn warning(code: &'static str, text: impl Into<String>, advice: &'static str) -> Self {
        Self { code, severity: Severity::Warning, text: text.into(), advice }
    }

    fn error(code: &'static str, text: impl Into<String>, advice: &'static str) -> Self {
        Self { code, severity: Severity::Error, text: text.into(), advice }
    }

    fn link(&self) -> String {
        format!("/docs/operators#{}", self.code)
    }
}

/// Examines everything, and prints the findings.
pub(super) fn run(wanted: &DoctorArgs) -> Result<ExitCode, String> {
    let findings = log::start(&wanted.place.log, LogFormat::Text)
        .and_then(|()| examine(&wanted.place.data_dir));
    let findings = match findings {
        Ok(findings) => findings,
        Err(why) => {
            complain(&why);
            return Ok(ExitCode::from(COULD_NOT_LOOK));
        }
    };
    if wanted.json {
        let objects = findings.iter().map(|it| {
            let Finding { code, severity, text, advice } = it;
            json!({"code": code, "severity": severity, "text": text, "advice": advice,
                "link": it.link()})
        });
        say_json(&json!({"findings": objects.collect::<Vec<_>>()}).to_string())?;
    } else {
        findings.iter().try_for_each(print)?;
    }
    let worst = findings.iter().map(|it| it.severity).max();
    Ok(ExitCode::from(worst.map_or(0, |it| it as u8)))
}

fn print(finding: &Finding) -> Result<(), String> {
    let severity = match finding.severity {
        Severity::Ok => "ok",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    say(&format!("{severity:<8} {:<16} {}", finding.code, finding.text))?;
    if finding.advice.is_empty() {
        return Ok(());
    }
    say(&format!("{:<25} {} See {}.", "", finding.advice, finding.link()))
}

fn examine(data: &Path) -> Result<Vec<Finding>, String> {
    let mut findings = Vec::new();
    let server = match reach::running(data) {
        Some(socket) => {
            let view = match ReachedInstance::Running(socket).ask(AdminCommand::TellServer) {
                Ok(AdminResult::Server(view)) => *view,
                Ok(other) => return Err(reach::unexpected_reply(&other)),
                Err(CommandError::Refused(why) | CommandError::Failed(why)) => return Err(why),
            };
            findings.extend([running(&view), clock(&view), address_answers(&view)]);
            view
        }
        None => {
            findings.push(stopped(data)?);
            stopped_view(data)?
        }
    };
    findings.extend(disk(data)?);
    findings.push(open_files(&server));
    findings.push(memory(&server));
    findings.extend(files(data)?);
    findings.push(certificate(&server, data));
    findings.extend(mail(&server));
    findings.push(passkeys(&server));
    findings.push(backups(&server, data));
    findings.extend(settings(&server));
    Ok(findings)
}

fn running(server: &ServerView) -> Finding {
    match &server.not_ready {
        None => Finding::ok("server", "The server is running and ready."),
        Some(reason) => Finding::error(
            "server",
            format!("The server is running but not ready: {reason}."),
            "Read the server's log for the cause.",
        ),
    }
}

/// Whether a server could start on the data. A lock that this process holds meanwhile would get in
/// the way of a start, so it is released at once.
fn stopped(data: &Path) -> Result<Finding, String> {
    match DirLock::of_installation(data) {
        Ok(_held) => Ok(Finding::ok("server", "No server runs on this data.")),
        Err(error @ DataDirError::Locked { .. }) => Ok(Finding::error(
            "server",
            format!("No server answers, but {error}."),
            "Wait until the other tool or the start of the server is done, or stop that process.",
        )),
        Err(error @ DataDirError::JournalLost { .. }) => Ok(Finding::error(
            "server",
            format!("No server can start: {error}."),
            "Bring the journal back, or restore a backup.",
        )),
        Err(error) => Err(error.to_string()),
    }
}

/// A server as it would start with the options of the environment.
fn stopped_view(data: &Path) -> Result<ServerView, String> {
    let options = Options::of(data).map_err(|error| error.to_string())?;
    Ok(ServerView {
        history: 0,
        settings: options.settings_at(options.listen),
        open_files: process::open_files_limit(),
        memory: process::memory_limit(),
        time: SystemClock::new().now().wall.seconds(),
        clock_refused_seconds: 0,
        not_ready: None,
        mail: stopped_mail(&options)?,
        passkeys_elsewhere: None,
    })
}

fn clock(server: &ServerView) -> Finding {
    let drift = SystemClock::new().now().wall.seconds().abs_diff(server.time);
    let text = match server.clock_refused_seconds {
        0 if drift <= CLOCK_DRIFT => {
            return Finding::ok("clock", "The server follows the clock of the machine.");
        }
        0 => format!("The time of the server differs from the machine's clock by {drift} s."),
        jump => format!("The machine's clock jumped by {jump} s, and the server ignores that."),
    };
    let advice = "Correct the machine's clock; if it is right, run coterie clock accept.";
    Finding::error("clock", text, advice)
}

/// Requests `/health/live` at the URL that users open.
fn address_answers(server: &ServerView) -> Finding {
    const CODE: &str = "address-answers";
    let listen = format!("http://{}", server.settings.listen);
    let base = server.settings.public_url.as_ref().unwrap_or(&listen);
    let url = format!("{base}/health/live");
    let networks = Network::all();
    let answer = actix::System::new().block_on(async {
        let resolver = Arc::new(SystemResolver::default());
        let outgoing = Outgoing::new(networks, resolver, &Places::default());
        outgoing.fetch(Owner::Server, &url, ANSWER).await
    });
    let advice = "Correct --public-url, the DNS record or the proxy, and try again.";
    let is_own = |body: &[u8]| {
        let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        body["instance"] == Instance::id_of(server.history)
    };
    match answer {
        Ok(answer) if is_own(&answer.body) => {
            Finding::ok(CODE, format!("The server answers at {url}."))
        }
        Ok(_) => Finding::error(CODE, format!("Another server answers at {url}."), advice),
        Err(error) => {
            Finding::error(CODE, format!("The request to {url} failed: {error}."), advice)
        }
    }
}

fn disk(data: &Path) -> Result<[Finding; 4], String> {
    let failed =
        |error: io::Error| format!("examining the disk of {} failed: {error}", data.display());
    let (free, total) = space::measure(data).map_err(failed)?;
    let inodes = rustix::fs::statvfs(data).map_err(|error| failed(error.into()))?;
    let kind = rustix::fs::statfs(data).map_err(|error| failed(error.into()))?;
    Ok([
        free_space(free, space::reserve_of(total)),
        free_inodes(inodes.f_files, inodes.f_favail),
        file_system(kind.f_type.try_into().unwrap_or(0)),
        match sync_times(&data.join(PROBE), PROBES) {
            Ok(times) => sync_time(times[PROBES / 2]),
            Err(error) => Finding::error(
                "disk-sync",
                format!("Writing {PROBE} in the data directory failed: {error}."),
                "Free the disk, or run the doctor under the account of the server.",
            ),
        },
    ])
}

fn free_space(free: u64, reserve: u64) -> Finding {
    let text = format!("{} MiB of the disk are free.", free >> 20);
    if free < reserve {
        let advice = "Free the disk or enlarge it: the server refuses everything that writes.";
        Finding::error("disk-space", text, advice)
    } else if free < reserve.saturating_mul(4) {
        let advice = "Free the disk or enlarge it before the server refuses to write.";
        Finding::warning("disk-space", text, advice)
    } else {
        Finding::ok("disk-space", text)
    }
}

/// File systems without a fixed number of inodes report a total of 0.
fn free_inodes(total: u64, free: u64) -> Finding {
    let advice = "Remove other files from this disk, or make a file system with more inodes.";
    match free {
        _ if total == 0 => {
            Finding::ok("disk-inodes", "The file system makes inodes as it needs them.")
        }
        0..NO_INODES => Finding::error("disk-inodes", format!("{free} inodes are free."), advice),
        NO_INODES..FEW_INODES => {
            Finding::warning("disk-inodes", format!("{free} inodes are free."), advice)
        }
        FEW_INODES.. => Finding::ok("disk-inodes", format!("{free} inodes are free.")),
    }
}

/// The numbers are those of Linux's `magic.h`, and of its drivers for CIFS and SMB.
fn file_system(number: u64) -> Finding {
    let network = "Move the data to a local disk.";
    let warn = |name: &str, risk: &str, advice| {
        Finding::warning("disk-type", format!("The data lies on {name}: {risk}."), advice)
    };
    match number {
        0x0102_1994 | 0x8584_58f6 => Finding::error(
            "disk-type",
            "The data lies in memory (tmpfs): it is lost when the machine stops.",
            "Move the data to a disk.",
        ),
        0x6969 => warn("NFS", "locks and fdatasync depend on the other machine", network),
        0xff53_4d42 | 0xfe53_4d42 | 0x517b => {
            warn("SMB", "locks and fdatasync depend on the other machine", network)
        }
        0x6573_5546 => warn("FUSE", "fdatasync may do nothing", network),
        0x794c_7630 => warn(
            "an overlay",
            "in a container it is lost with the container",
            "Mount a volume at the data directory.",
        ),
        _ => Finding::ok("disk-type", "The file system fits the data."),
    }
}

fn sync_time(micros: u64) -> Finding {
    let text = format!("A write with fdatasync takes {}.{} ms.", micros / 1000, micros / 100 % 10);
    if micros <= SLOW_SYNC_MICROS {
        return Finding::ok("disk-sync", text);
    }
    let advice = "Move the data to a faster disk: every post waits for such a write.";
    Finding::warning("disk-sync", text, advice)
}

fn open_files(server: &ServerView) -> Finding {
    match server.open_files {
        Some(most) if most < FEW_FILES => Finding::warning(
            "limit-files",
            format!("The server may open only {most} files and connections."),
            "Raise the limit with ulimit -n, or with LimitNOFILE= in the systemd unit.",
        ),
        Some(most) => {
            Finding::ok("limit-files", format!("The server may open {most} files and connections."))
        }
        None => Finding::ok("limit-files", "Files and connections are not limited."),
    }
}

fn memory(server: &ServerView) -> Finding {
    let cache = server.settings.index_cache;
    let text = |memory: u64| {
        let cache = cache >> 20;
        let memory = memory >> 20;
        format!("The index may use {cache} MiB of {memory} MiB of memory.")
    };
    let advice = "Lower --index-cache, or give the server more memory.";
    match server.memory {
        Some(memory) if cache >= memory => Finding::error("limit-memory", text(memory), advice),
        Some(memory) if cache > memory / 2 => {
            Finding::warning("limit-memory", text(memory), advice)
        }
        Some(memory) => Finding::ok("limit-memory", text(memory)),
        None => Finding::ok("limit-memory", "The system reports no limit of memory."),
    }
}

fn files(data: &Path) -> Result<[Finding; 2], String> {
    let others = data_dir::of_other_owners(data)
        .map_err(|error| format!("reading {} failed: {error}", data.display()))?;
    let owner = match names(data, &others) {
        None => Finding::ok("data-owner", "The data belongs to the owner of its directory."),
        Some(names) => Finding::error(
            "data-owner",
            format!("These do not belong to the owner of the data directory: {names}."),
            "Give them to that account with chown -R.",
        ),
    };
    let mode = match names(data, &data_dir::open_to_others(data)) {
        None => Finding::ok("data-mode", "Only the owner may access the data."),
        Some(names) => Finding::error(
            "data-mode",
            format!("Other accounts may access {names}."),
            "Take their rights away with chmod -R go= on the data directory.",
        ),
    };
    Ok([owner, mode])
}

/// The names of these files in the data directory; `None` if there are none.
fn names(data: &Path, paths: &[PathBuf]) -> Option<String> {
    let name = |path: &PathBuf| path.strip_prefix(data).unwrap_or(path).display().to_string();
    let names: Vec<String> = paths.iter().map(name).collect();
    if names.is_empty() { None } else { Some(names.join(", ")) }
}

/// The section on certificates.
const CERTIFICATE: &str = "certificate";

fn certificate(server: &ServerView, data: &Path) -> Finding {
    const CODE: &str = CERTIFICATE;
    if !server.settings.domains.is_empty() {
        return ordered_certificate(server, data);
    }
    let Some((certificate, key)) = server.settings.certificate.clone() else {
        return Finding::ok(CODE, "The server speaks HTTP without TLS.");
    };
    let files = CertificateFiles { certificate, key };
    let url = server.settings.public_url.as_ref().and_then(|url| url::Url::parse(url).ok());
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or_default();
    let path = files.certificate.display();
    let usable = match files.examine(server.time, host) {
        Ok(usable) => usable,
        Err(error) => {
            let advice = "Correct the file: a server does not start with it, and a running one \
                          serves the certificate from before.";
            return Finding::error(CODE, format!("{error}."), advice);
        }
    };
    if !usable.names_host {
        let advice = "Request a certificate for the host of --public-url.";
        return Finding::error(CODE, format!("{path} has no certificate for {host}."), advice);
    }
    let days = usable.expires.saturating_sub(server.time) / 86_400;
    let text = format!("The certificate in {path} expires in {days} days.");
    if days >= LAST_DAYS {
        return Finding::ok(CODE, text);
    }
    let advice = "Renew it; the server loads changed files without a restart.";
    Finding::warning(CODE, text, advice)
}

/// The certificate that the server orders by ACME, and the failure of its last order.
fn ordered_certificate(server: &ServerView, data: &Path) -> Finding {
    const WAIT: &str = "Correct the cause; the server tries again by itself, and at once when it is \
                        restarted.";
    let store = AcmeStore::of(data);
    let domains = &server.settings.domains;
    let status = store.status().unwrap_or_default();
    let failure = match &status {
        AcmeStatus { failure: Some(failure), .. } => {
            format!(" The order of {} failed: {}.", date(failure.at), failure.error)
        }
        AcmeStatus { failure: None, .. } => String::new(),
    };
    let read = match store.certificate() {
        Ok(Some(read)) => read,
        Ok(None) => {
            let text = format!("There is no certificate for {} yet.{failure}", domains.join(", "));
            return Finding::error(CERTIFICATE, text, WAIT);
        }
        Err(error) => return Finding::error(CERTIFICATE, format!("{error}.{failure}"), WAIT),
    };
    if let Some(domain) = domains.iter().find(|it| !read.names(it)) {
        let text = format!("The certificate does not name {domain}.{failure}");
        return Finding::error(CERTIFICATE, text, WAIT);
    }
    if read.expires < server.time {
        let text = format!("The certificate expired at {}.{failure}", date(read.expires));
        return Finding::error(CERTIFICATE, text, WAIT);
    }
    let days = (read.expires - server.time) / 86_400;
    let text = format!("The certificate expires in {days} days.{failure}");
    if days >= LAST_DAYS_OF_ACME && failure.is_empty() {
        return Finding::ok(CERTIFICATE, text);
    }
    Finding::warning(CERTIFICATE, text, WAIT)
}

/// Whether the mail server takes mail, and whether mails were given up.
fn mail(server: &ServerView) -> [Finding; 2] {
    let Some(mail) = &server.mail else {
        let text =
            "The server sends no mail, so lost passwords are recovered with coterie user recover.";
        let none = "No mail was given up.";
        return [Finding::ok("mail-server", text), Finding::ok("mail-dead", none)];
    };
    let reached = match &mail.unreachable {
        None => Finding::ok("mail-server", format!("The mail server {} answers.", mail.server)),
        Some(reason) => Finding::error(
            "mail-server",
            format!(
                "The mail server {} cannot be used: {reason}. {} mails wait.",
                mail.server, mail.waiting
            ),
            "Correct --smtp-url or --mail-ca, or start the mail server.",
        ),
    };
    let dead = match &mail.last_dead {
        None => Finding::ok("mail-dead", "No mail was given up in the last week."),
        Some(last) => Finding::warning(
            "mail-dead",
            format!("Mails given up in the last week: {}, the last one {last}.", mail.dead),
            "Correct the cause, and send them again at /admin under Mail.",
        ),
    };
    [reached, dead]
}

/// Whether all passkeys were made for the host of the public URL: others no longer log in.
fn passkeys(server: &ServerView) -> Finding {
    match server.passkeys_elsewhere {
        None => Finding::ok("passkeys", "Only a running server counts passkeys of another host."),
        Some(0) => Finding::ok("passkeys", "No passkey belongs to another host."),
        Some(count) => Finding::warning(
            "passkeys",
            format!("Passkeys that were made for another host and no longer log in: {count}."),
            "Set --public-url to the former host, or ask the users to add new passkeys.",
        ),
    }
}

/// Whether the last scheduled backup is young enough, was read back, and lies elsewhere.
fn backups(server: &ServerView, data: &Path) -> Finding {
    const CODE: &str = "backups";
    let settings = &server.settings;
    let Some(schedule) = &settings.backups else {
        let text = "The server makes no scheduled backups.";
        if settings.listen.ip().is_loopback() && settings.public_url.is_none() {
            return Finding::ok(CODE, text);
        }
        let advice = "Set --backup-to, unless coterie backup runs from a timer.";
        return Finding::warning(CODE, text, advice);
    };
    let status = BackupStatus::of(data);
    let status = if status.place == schedule.place { status } else { BackupStatus::default() };
    let failure = status.failure.as_ref().map_or_else(String::new, |failure| {
        format!(" The one of {} failed: {}.", date(failure.at), failure.error)
    });
    let retry = "Correct the cause; the server tries again by itself.";
    let Some(last) = status.last else {
        let text = format!("There is no backup at {} yet.{failure}", schedule.place);
        return match failure.as_str() {
            "" => Finding::warning(CODE, text, "Wait until the first one is made."),
            _ => Finding::error(CODE, text, retry),
        };
    };
    let age = server.time.saturating_sub(last.made_at);
    let made = date(last.made_at);
    let text = format!("The last backup began at {made} and was read back.{failure}");
    if age > schedule.every.saturating_mul(2).saturating_add(LATE_BACKUP) {
        return Finding::error(CODE, text, retry);
    }
    if !failure.is_empty() {
        return Finding::warning(CODE, text, retry);
    }
    let is_beside = schedule.folder.as_ref().is_some_and(|folder| {
        BackupPlace::Folder(folder.clone()).is_on_disk_of(data).unwrap_or_default()
    });
    if is_beside {
        let text = format!("{text} It lies on the disk of the data.");
        return Finding::warning(CODE, text, "Set --backup-to to another disk or a bucket.");
    }
    Finding::ok(CODE, text)
}

/// The mail server as the options of the environment name it.
fn stopped_mail(options: &Options) -> Result<Option<MailView>, String> {
    let Some(mails) = mail_server(options)? else { return Ok(None) };
    let unreachable = actix::System::new().block_on(mails.reach()).err();
    let server = mails.server().to_owned();
    Ok(Some(MailView { server, unreachable, waiting: 0, dead: 0, last_dead: None }))
}

fn settings(server: &ServerView) -> [Finding; 3] {
    let settings = &server.settings;
    let is_local = settings.listen.ip().is_loopback() && settings.public_url.is_none();
    let address = match &settings.public_url {
        None if is_local => Finding::ok("address-url", "Only this machine reaches the server."),
        None => Finding::warning(
            "address-url",
            format!("No public URL is set, so links begin with http://{}.", settings.listen),
            "Set --public-url to the URL that users open.",
        ),
        Some(url) if is_plain_and_remote(url) => Finding::warning(
            "address-url",
            format!("Passwords and messages are sent to {url} without TLS."),
            "Set --domain to its name, or --tls-cert and --tls-key, or put a proxy with TLS in front \
             and set --public-url to the https:// URL.",
        ),
        Some(url) => Finding::ok("address-url", format!("Users open {url}.")),
    };
    let registration = if is_local || !settings.is_registration_open {
        Finding::ok("registration", "No stranger may register.")
    } else {
        Finding::warning(
            "registration",
            "Anybody who reaches the server may register.",
            "Set --registration closed, and add users with coterie user add; or set --registration \
             approval or domain:example.org.",
        )
    };
    let rate = if is_local || settings.is_rate_limited {
        Finding::ok("rate-limit", "No stranger may send requests without a limit.")
    } else {
        Finding::warning(
            "rate-limit",
            "Requests are not limited, on a server that others reach.",
            "Remove --rate-limit off.",
        )
    };
    [address, registration, rate]
}

/// Whether the URL has no TLS and another host than this machine.
fn is_plain_and_remote(url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else { return false };
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(url::Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !is_here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_and_volatile_file_systems_are_reported() {
        for (number, severity) in [
            (0xef53, Severity::Ok),
            (0x9123_683e, Severity::Ok),
            (0x0102_1994, Severity::Error),
            (0x6969, Severity::Warning),
            (0xff53_4d42, Severity::Warning),
            (0x6573_5546, Severity::Warning),
            (0x794c_7630, Severity::Warning),
        ] {
            assert_eq!(file_system(number).severity, severity, "{number:x}");
        }
    }

    #[test]
    fn slow_disks_and_few_inodes_are_reported() {
        assert_eq!(sync_time(1_234).text, "A write with fdatasync takes 1.2 ms.");
        assert_eq!(sync_time(SLOW_SYNC_MICROS).severity, Severity::Ok);
        assert_eq!(sync_time(SLOW_SYNC_MICROS + 1).severity, Severity::Warning);
        assert_eq!(free_inodes(0, 0).severity, Severity::Ok);
        assert_eq!(free_inodes(1000, 1).severity, Severity::Error);
    }
}
