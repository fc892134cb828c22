//! What the kernel reports about a process: CPU time, memory, limits.

use std::time::{Duration, Instant};

/// The time over which CPU use is measured to see whether a process rests.
const LOOK: Duration = Duration::from_millis(300);
/// The share of one core below which a process counts as resting.
const RESTING: f64 = 0.04;
/// How long to wait for a process to rest.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a process could not be read, or did not come to rest.
#[derive(Debug, thiserror::Error)]
pub enum ProcError {
    #[error("cannot read /proc of process {pid}: {source}")]
    Unreadable { pid: u32, source: std::io::Error },
    #[error("/proc of process {pid} has no usable {field}")]
    Missing { pid: u32, field: &'static str },
    #[error("process {pid} is still busy after two minutes without work")]
    Restless { pid: u32 },
}

/// Returns the user and system time that the process has used, all threads together.
///
/// The kernel gives whole ticks (10 ms) for the process, and nanoseconds only for threads that
/// still run: neither is too high, so the larger one is nearer.
pub fn cpu_time(pid: u32) -> Result<Duration, ProcError> {
    let stat = read(pid, "stat")?;
    let ticks =
        parse_cpu_ticks(&stat).ok_or(ProcError::Missing { pid, field: "utime and stime" })?;
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    let whole_ticks = Duration::from_micros(ticks.saturating_mul(1_000_000) / per_second);
    Ok(whole_ticks.max(running_threads_time(pid)?))
}

/// Returns the CPU time of the running threads whose names begin with `name`; `None` if there are
/// none.
pub fn threads_time(pid: u32, name: &str) -> Result<Option<Duration>, ProcError> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .map_err(|source| ProcError::Unreadable { pid, source })?;
    let times = threads.flatten().filter_map(|thread| {
        let own_name = std::fs::read_to_string(thread.path().join("comm")).ok()?;
        own_name.starts_with(name).then_some(())?;
        let schedstat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        schedstat.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    Ok(times.reduce(|sum, time| sum + time).map(Duration::from_nanos))
}

/// Returns the CPU time of the threads that still run; zero where the kernel does not count it.
fn running_threads_time(pid: u32) -> Result<Duration, ProcError> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .map_err(|source| ProcError::Unreadable { pid, source })?;
    let times = threads.flatten().filter_map(|thread| {
        let schedstat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        schedstat.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    Ok(Duration::from_nanos(times.sum()))
}

/// Waits until the process has finished what is left of earlier work.
pub async fn at_rest(pid: u32) -> Result<(), ProcError> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let before = cpu_time(pid)?;
        let looked = Instant::now();
        tokio::time::sleep(LOOK).await;
        let used = cpu_time(pid)?.saturating_sub(before);
        if used.as_secs_f64() < looked.elapsed().as_secs_f64() * RESTING {
            return Ok(());
        }
    }
    Err(ProcError::Restless { pid })
}

/// Resident memory in bytes.
pub fn resident_bytes(pid: u32) -> Result<u64, ProcError> {
    let status = read(pid, "status")?;
    parse_resident_kib(&status)
        .map(|kib| kib * 1024)
        .ok_or(ProcError::Missing { pid, field: "VmRSS" })
}

/// How many files and sockets the process has open.
pub fn open_files(pid: u32) -> Result<usize, ProcError> {
    let listed = std::fs::read_dir(format!("/proc/{pid}/fd"));
    Ok(listed.map_err(|source| ProcError::Unreadable { pid, source })?.count())
}

/// How many threads the process has.
pub fn threads(pid: u32) -> Result<u64, ProcError> {
    let status = read(pid, "status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    let count = line.and_then(|line| line.trim().parse().ok());
    count.ok_or(ProcError::Missing { pid, field: "Threads" })
}

/// How many files the process may have open.
pub fn open_files_limit(pid: u32) -> Result<u64, ProcError> {
    let limits = read(pid, "limits")?;
    parse_open_files(&limits).ok_or(ProcError::Missing { pid, field: "Max open files" })
}

fn read(pid: u32, name: &str) -> Result<String, ProcError> {
    std::fs::read_to_string(format!("/proc/{pid}/{name}"))
        .map_err(|source| ProcError::Unreadable { pid, source })
}

/// Sums fields 14 and 15, user and system time. The second field is the program's name in brackets
/// and may itself hold spaces and brackets, so counting starts after the last bracket.
fn parse_cpu_ticks(stat: &str) -> Option<u64> {
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn parse_resident_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn parse_open_files(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_ascii_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        soft => soft.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_ticks_are_found_behind_an_odd_name() {
        let stat =
            "4242 (a ) b (c) R 1 4242 4242 0 -1 4194304 90 0 0 0 371 29 0 0 20 0 3 0 100 1 2";
        assert_eq!(parse_cpu_ticks(stat), Some(400));
        assert_eq!(parse_cpu_ticks("4242 (x) R 1"), None);
        assert_eq!(parse_cpu_ticks(""), None);
    }

    #[test]
    fn resident_memory_is_in_kib() {
        assert_eq!(parse_resident_kib("Name:\tx\nVmHWM:\t9 kB\nVmRSS:\t    5120 kB\n"), Some(5120));
        assert_eq!(parse_resident_kib("Name:\tkthreadd\n"), None);
    }

    #[test]
    fn the_soft_limit_is_the_first_number() {
        assert_eq!(
            parse_open_files(
                "Max open files            1024                 524288               files\n"
            ),
            Some(1024)
        );
        assert_eq!(
            parse_open_files(
                "Max open files            unlimited            unlimited            files\n"
            ),
            Some(u64::MAX)
        );
    }

    #[test]
    fn this_very_process_can_be_read() {
        let pid = std::process::id();
        assert!(resident_bytes(pid).unwrap() > 0);
        assert!(open_files_limit(pid).unwrap() > 0);
        assert!(open_files(pid).unwrap() > 2);
        assert!(threads(pid).unwrap() > 0);
        cpu_time(pid).unwrap();
    }

    #[test]
    fn a_process_that_is_not_there_is_named() {
        let error = cpu_time(u32::MAX).unwrap_err();
        assert!(error.to_string().contains(&u32::MAX.to_string()), "{error}");
    }
}
