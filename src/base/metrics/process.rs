//! Metrics of this process from the operating system, under the names that are usual for
//! Prometheus.

use std::path::Path;

use rustix::process::{Resource, getrlimit};

use crate::metrics::exposition::{Exposition, MetricKind};

/// Writes processor time, memory and open files. What the system does not report is left out.
pub fn write(page: &mut Exposition, started_at_seconds: u64) {
    use rustix::time::{ClockId, clock_gettime};
    let used = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = used.tv_sec as f64 + used.tv_nsec as f64 / 1e9;
    let help = "Processor time used, in seconds.";
    page.single("process_cpu_seconds_total", MetricKind::Counter, help, seconds);
    if let Some((size, resident)) = memory() {
        let help = "Memory that is in use, in bytes.";
        page.single("process_resident_memory_bytes", MetricKind::Gauge, help, resident);
        let help = "Address space that is in use, in bytes.";
        page.single("process_virtual_memory_bytes", MetricKind::Gauge, help, size);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        page.single(
            "process_open_fds",
            MetricKind::Gauge,
            "Open files and sockets.",
            files.count(),
        );
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        let help = "Files and sockets that may be open.";
        page.single("process_max_fds", MetricKind::Gauge, help, most);
    }
    let help = "When the process began, in Unix seconds.";
    page.single("process_start_time_seconds", MetricKind::Gauge, help, started_at_seconds);
}

/// Bytes of address space and of resident memory in use.
fn memory() -> Option<(u64, u64)> {
    let told = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = told.split(' ').map(|count| count.parse::<u64>().ok());
    let page = rustix::param::page_size() as u64;
    Some((pages.next()?? * page, pages.next()?? * page))
}

/// The number of files and sockets that this process may open once it has raised its limit; `None`
/// if there is no limit.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// The bytes of memory that this process may use: the lowest of the limits of its control groups and
/// the memory of the machine. `None` if the system reports none of them.
pub fn memory_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().flat_map(limits_of_group);
    limits.chain(machine_memory()).min()
}

/// The limits of the control group in a line of `/proc/self/cgroup` and of the groups above it, of
/// version 2 (without a controller) or 1.
fn limits_of_group(line: &str) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (root, file) = if controllers.is_empty() {
        ("/sys/fs/cgroup", "memory.max")
    } else if controllers.split(',').any(|it| it == "memory") {
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
    } else {
        return Vec::new();
    };
    let limit = |group: &Path| {
        let group = Path::new(root).join(group.strip_prefix("/").ok()?);
        std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()
    };
    Path::new(path).ancestors().filter_map(limit).collect()
}

fn machine_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = table.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    kibibytes.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}
