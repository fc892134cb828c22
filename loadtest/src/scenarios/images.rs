//! P15: posts as in P1, alone and beside uploads of photos.
//!
//! They are compared with the same server a moment before, since the question is how much of the
//! machine uploads take from messages. That the tester sends the photos on the same cores is part
//! of the figure.

use super::environment::{Environment, OpenFiles};
use super::posts::{self, Sizes};
use super::{RunError, run_id, say};
use crate::cli::sizes::Images;
use crate::http::connection::Connection;
use crate::http::request::{self, PostTarget};
use crate::http::response::HttpError;
use crate::load::meter::{Phase, Window};
use crate::load::photo::Photo;
use crate::load::poster::Poster;
use crate::load::uploads::{Answers, Uploads};
use crate::process::proc_fs::at_rest;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::stats::median_ratio;
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

const ALONE: &str = "posts alone";
const BESIDE: &str = "beside uploads";
/// Sockets reserved for uploads that wait for their answer.
const UPLOADS: usize = 512;

pub async fn run(args: &Images) -> Result<Report, RunError> {
    let sizes = posts::sizes(&args.posts)?;
    let options = &args.posts.common;
    let rate = options.size(args.rate, 50, 20);
    let photo_bytes = options.size(args.photo_bytes, 2_000_000, 40_000);
    say(format_args!("drawing a photo of {photo_bytes} bytes"));
    let photo = Photo::of_about(photo_bytes).map_err(|error| RunError::Size(error.to_string()))?;
    let environment = Environment::open(options, OpenFiles::one_side(sizes.senders + UPLOADS))?;
    let run = run_id();
    say(format_args!("registering {} people, creating {} groups", sizes.people, sizes.groups));
    let mut api = Api::new(environment.target().addr);
    let world = World::build(&mut api, run, sizes.people, sizes.groups, sizes.members).await?;
    let post_targets: Vec<PostTarget> =
        (0..sizes.senders).map(|sender| world.post_target(sender)).collect();
    let token = world.people[0].token.clone();
    let photo_bytes = photo.len();
    let uploads = Uploads::new(environment.target().addr, token, photo, rate);

    let mut posters = posts::posters(environment.nodes(), &post_targets, run, sizes.text_bytes);
    let setting = setting(&sizes, args, rate, photo_bytes);
    let mut report = Report::new("images", POSTS, options.smoke, setting);
    let window = Window::of(options.turn());
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        // Uploads of the round before that still wait would disturb the posts alone.
        if let Some(pid) = environment.target().pid {
            at_rest(pid).await?;
        }
        let phase;
        (posters, phase) = posts::turn(posters, environment.target(), window).await?;
        report.row(round, ALONE, phase);
        let phase;
        (posters, phase) = beside(posters, environment.target(), window, &uploads).await?;
        report.row(round, BESIDE, phase);
    }
    say("listing everything that was posted, and asking for every image");
    let posters: Vec<&Poster> = posters.iter().collect();
    report.check_listing(&listing::check(&mut api, &post_targets, &posters).await?.listing);
    for poster in posters {
        report.add_odd_answers(poster.odd_answers());
    }
    check_images(&mut report, environment.target(), &uploads.answers()).await?;
    let rate = |phase: &Phase| phase.per_second;
    let ratio = median_ratio(&report.each(BESIDE, rate), &report.each(ALONE, rate));
    let busy = options.rounds() as f64 * (window.warm_up + window.measured).as_secs_f64();
    let stored = Some(uploads.answers().kept.len() as f64 / busy);
    report.bars = vec![
        Bar::new("P15", "posts beside uploads", ratio, Bound::AtLeast(0.9), "×"),
        Bar::new("P15", "photos stored per second", stored, Bound::AtLeast(5.0), "/s"),
    ];
    Ok(report)
}

fn setting(sizes: &Sizes, args: &Images, rate: usize, photo_bytes: usize) -> String {
    let posts = posts::setting(sizes, &args.posts);
    format!("{posts}; {rate} uploads/s of {photo_bytes} bytes, each another photo")
}

async fn beside(
    posters: Vec<Poster>,
    target: Target,
    window: Window,
    uploads: &Uploads,
) -> Result<(Vec<Poster>, Phase), RunError> {
    tokio::select! {
        turn = posts::turn(posters, target, window) => turn,
        () = uploads.run() => Err(RunError::Size("uploads ended by themselves".to_owned())),
    }
}

/// Checks that every image that was answered with 200 can be fetched.
async fn check_images(
    report: &mut Report,
    target: Target,
    answers: &Answers,
) -> Result<(), RunError> {
    let mut missing = 0;
    for path in &answers.kept {
        // Each on a connection of its own: making the report may take longer than servers keep idle
        // connections.
        let shown = async {
            let mut connection = Connection::open(target.addr).await?;
            let answer = connection.exchange(&request::get(target.addr, path, "")).await?;
            Ok::<_, HttpError>(answer.status == 200 && !answer.body.is_empty())
        };
        missing += u64::from(!shown.await.map_err(crate::load::closed_loop::LoadError::from)?);
    }
    let told: Vec<String> =
        answers.statuses.iter().map(|(status, times)| format!("{times} × {status}")).collect();
    let detail = format!(
        "{} kept, {missing} missing; answers: {}; {} not begun",
        answers.kept.len(),
        told.join(", "),
        answers.not_begun
    );
    // 503 (busy) is an expected answer; a run that kept no image proves nothing.
    let is_known = |status: &u16| matches!(status, 200 | 503);
    let passed = missing == 0 && !answers.kept.is_empty() && answers.statuses.keys().all(is_known);
    report.check(
        "every upload is answered, and every image answered with 200 is shown",
        passed,
        detail,
    );
    Ok(())
}
