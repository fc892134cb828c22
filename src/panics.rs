//! Logs the backtrace of a panic.
//!
//! The program carries no names of functions, so the backtrace is logged as offsets in the program.
//! The same build with symbols turns them into names (`static/docs/operators.html`).

use std::backtrace::Backtrace;
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::panic;

/// Installs a hook that logs the backtrace of every panic from now on.
pub fn tell() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        usual(panic);
        let program = fs::read_to_string("/proc/self/maps").ok();
        let program = program.and_then(|maps| program_in(&maps));
        let way = program.map_or_else(String::new, |program| {
            places(&format!("{:#}", Backtrace::force_capture()), &program)
        });
        tracing::error!(version = env!("CARGO_PKG_VERSION"), way, "the program panicked");
    }));
}

/// The addresses at which the program lies in memory, from the kernel's list of mappings, where it
/// comes first.
fn program_in(maps: &str) -> Option<Range<u64>> {
    let path = |line: &str| line.split_whitespace().nth(5).map(str::to_owned);
    let range = |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        Some(u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?)
    };
    let own = path(maps.lines().next()?)?;
    let mut own = maps.lines().filter(|line| path(line).as_ref() == Some(&own)).filter_map(range);
    let first = own.next()?;
    Some(first.start..own.next_back().map_or(first.end, |last| last.end))
}

/// The frames of a backtrace that belong to the program, as offsets in its file.
fn places(backtrace: &str, program: &Range<u64>) -> String {
    let words = backtrace.split_whitespace();
    let frames = words.filter_map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    frames.filter(|frame| program.contains(frame)).fold(String::new(), |mut said, frame| {
        let gap = if said.is_empty() { "" } else { " " };
        write!(said, "{gap}{:#x}", frame - program.start).expect("memory takes any text");
        said
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
        5500-5600 r--p 00000000 08:01 12 /usr/bin/coterie\n\
        5600-5900 r-xp 00001000 08:01 12 /usr/bin/coterie\n\
        7000-7100 r-xp 00000000 08:01 13 /usr/lib/libc.so.6\n";

    #[test]
    fn backtrace_has_only_frames_of_the_program() {
        let backtrace = "   0:             0x5612 - <unknown>\n   1:             0x7012 - <unknown>\n\
                            2:             0x58ff - <unknown>\n";
        let program = program_in(MAPS).unwrap();
        assert_eq!(program, 0x5500..0x5900);
        assert_eq!(places(backtrace, &program), "0x112 0x3ff");
    }

    #[test]
    fn this_program_finds_itself() {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let way = places(&format!("{:#}", Backtrace::force_capture()), &program_in(&maps).unwrap());
        assert!(way.split(' ').count() > 3, "{way}");
    }
}
