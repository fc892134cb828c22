//! What the operating system counts of this process, under the names that are usual for Prometheus
//! metrics.

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
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
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
