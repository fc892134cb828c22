//! The machine that a report is about: figures of different machines cannot be compared.

use serde::Serialize;

/// The machine, as far as Linux describes it.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// The model of its processor.
    pub cpu: String,
    pub cores: usize,
    pub memory_gib: f64,
    /// The operating system and the release of its kernel.
    pub system: String,
}

impl Machine {
    /// Describes this machine.
    pub fn here() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let kibibytes = field(&read("/proc/meminfo"), "MemTotal")
            .and_then(|value| value.trim_end_matches("kB").trim().parse::<f64>().ok());
        let release = read("/proc/sys/kernel/osrelease");
        Self {
            cpu: field(&read("/proc/cpuinfo"), "model name")
                .unwrap_or("unknown processor".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kibibytes.unwrap_or_default() / 1024.0 / 1024.0,
            system: format!("{} {}", std::env::consts::OS, release.trim()),
        }
    }
}

/// Returns the value of the first line that begins with `name`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_names() {
        let text = "processor\t: 0\nmodel name\t: A Chip\nMemTotal:       24683 kB\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A Chip"));
        assert_eq!(field(text, "MemTotal").as_deref(), Some("24683 kB"));
        assert_eq!(field(text, "none"), None);
    }

    #[test]
    fn this_machine_has_memory_and_a_core() {
        let machine = Machine::here();
        assert!(machine.cores >= 1 && machine.memory_gib > 0.0, "{machine:?}");
    }
}
