//! Tests of the load tester's command line.

use clap::CommandFactory;

use super::*;
use crate::cli::bars::MEASURED_BY;

#[test]
fn the_options_do_not_contradict_each_other() {
    Cli::command().debug_assert();
}

fn bars(ids: &[&str]) -> Result<Vec<Scenario>, String> {
    let words = ["loadtest", "bars", "--smoke"].iter().chain(ids);
    let Command::Bars(bars) = Cli::try_parse_from(words).unwrap().command else {
        panic!("{ids:?} are no bars");
    };
    bars.scenarios()
}

#[test]
fn bars_lead_to_the_scenarios_that_measure_them() {
    assert_eq!(bars(&[]).unwrap().len(), MEASURED_BY.len());
    let some = bars(&["p5", "P2", "P16"]).unwrap();
    assert!(matches!(some[..], [Scenario::Latency(_), Scenario::Groups(_)]), "{some:?}");
    assert!(some.iter().all(|scenario| scenario.common().smoke));
    assert!(bars(&["P18"]).unwrap().is_empty(), "others measure it");
    assert_eq!(bars(&["P99"]).unwrap_err(), "no scenario measures P99");
}

#[test]
fn explicit_size_overrides_smoke_size() {
    let cli = Cli::try_parse_from(["loadtest", "posts", "--smoke", "--senders", "7"]).unwrap();
    let Command::Scenario(Scenario::Posts(posts)) = cli.command else {
        panic!("not posts");
    };
    assert_eq!(posts.posts.common.size(posts.posts.senders, 256, 16), 7);
    assert_eq!(posts.posts.common.size(posts.posts.groups, 100, 4), 4);
}
