//! A report as text for a terminal.

use std::fmt::Write;

use super::bar::{Bar, Bound};
use super::curve::Curve;
use super::side::Side;
use super::{Report, Row, Unit};

/// Renders the whole report; the text ends in a newline.
pub fn render(report: &Report) -> String {
    let mut text = format!("\n{}: {}\n", report.scenario, report.setting);
    if report.smoke {
        text.push_str(
            "smoke size: this checks that everything works; the figures are meaningless\n",
        );
    }
    sections(report, &mut text);
    text
}

/// Renders one line for each bar, which is what people ask for first.
///
/// `elsewhere` lists bars that the load tester does not measure, and what measures them.
pub fn verdicts(reports: &[Report], elsewhere: &[(&str, &str)]) -> String {
    let bars: Vec<&Bar> = reports.iter().flat_map(|report| &report.bars).collect();
    let reached = bars.iter().filter(|bar| bar.reached == Some(true)).count();
    let others = elsewhere.iter().map(|(id, who)| {
        vec![
            (*id).to_owned(),
            UNKNOWN.to_owned(),
            number(None, ""),
            String::new(),
            (*who).to_owned(),
        ]
    });
    let lines: Vec<Vec<String>> = bars.iter().map(|bar| verdict(bar)).chain(others).collect();
    format!("\n{}\n{reached} of {} bars reached\n", aligned(&lines), bars.len())
}

/// The verdict on a bar without a figure.
const UNKNOWN: &str = "not measured";

fn verdict(bar: &Bar) -> Vec<String> {
    let [id, what, figure, bound, _] = cells(bar);
    let reached = match bar.reached {
        Some(true) => "reached",
        Some(false) => "missed",
        None => UNKNOWN,
    };
    vec![id, reached.to_owned(), figure, format!("of {bound}"), what]
}

fn sections(report: &Report, text: &mut String) {
    if !report.rows.is_empty() {
        text.push('\n');
        text.push_str(&aligned(&rows(report)));
    }
    if !report.sides.is_empty() {
        text.push('\n');
        text.push_str(&aligned(&sides(report)));
    }
    if !report.curves.is_empty() {
        text.push('\n');
        text.push_str(&aligned(&curves(&report.curves)));
        text.push('\n');
        report.curves.iter().for_each(|curve| line(text, format_args!("{}", curve.verdict())));
    }
    if !report.figures.is_empty() {
        text.push('\n');
        let lines = report
            .figures
            .iter()
            .map(|figure| vec![figure.what.clone(), number(figure.value, figure.unit)]);
        text.push_str(&aligned(&lines.collect::<Vec<_>>()));
    }
    if !report.bars.is_empty() {
        text.push('\n');
        text.push_str(&aligned(&bars(&report.bars)));
    }
    text.push('\n');
    for check in &report.checks {
        let verdict = if check.passed { "ok    " } else { "FAILED" };
        line(text, format_args!("{verdict}  {}: {}", check.what, check.detail));
    }
    for (answer, times) in &report.odd_answers {
        line(text, format_args!("note    {times} × {answer}"));
    }
}

fn rows(report: &Report) -> Vec<Vec<String>> {
    let Unit { one, many } = report.unit;
    let header = [
        "round".to_owned(),
        "what".to_owned(),
        format!("{many}/s"),
        "p50 ms".to_owned(),
        "p99 ms".to_owned(),
        "max ms".to_owned(),
        format!("server µs/{one}"),
        format!("client µs/{one}"),
    ];
    std::iter::once(header.to_vec()).chain(report.rows.iter().map(row)).collect()
}

fn row(row: &Row) -> Vec<String> {
    let phase = &row.phase;
    vec![
        row.round.to_string(),
        row.what.to_string(),
        format!("{:.0}", phase.per_second),
        format!("{:.2}", phase.latency.p50_ms),
        format!("{:.2}", phase.latency.p99_ms),
        format!("{:.2}", phase.latency.max_ms),
        number(phase.server_us_per_unit, ""),
        number(Some(phase.client_us_per_unit), ""),
    ]
}

fn curves(curves: &[Curve]) -> Vec<Vec<String>> {
    let header = ["cost", "over", "size", "figure", "to the smallest"].map(str::to_owned);
    let points = curves.iter().flat_map(|curve| {
        curve.points.iter().map(|point| {
            vec![
                curve.what.to_owned(),
                curve.over.to_owned(),
                point.size.to_string(),
                number(point.figure, curve.unit),
                number(curve.ratio(point), "×"),
            ]
        })
    });
    std::iter::once(header.to_vec()).chain(points).collect()
}

fn sides(report: &Report) -> Vec<Vec<String>> {
    let Unit { one, many } = report.unit;
    let header = [
        "side".to_owned(),
        "durability".to_owned(),
        format!("{many}/s"),
        "p99 ms".to_owned(),
        format!("server µs/{one}"),
        "coterie's rate".to_owned(),
        "coterie's CPU".to_owned(),
    ];
    std::iter::once(header.to_vec()).chain(report.sides.iter().map(side)).collect()
}

fn side(side: &Side) -> Vec<String> {
    vec![
        side.name.clone(),
        side.durability.to_owned(),
        number(side.per_second, ""),
        number(side.p99_ms, ""),
        number(side.server_us_per_unit, ""),
        number(side.rate_beside, "×"),
        number(side.cpu_beside, "×"),
    ]
}

fn bars(bars: &[Bar]) -> Vec<Vec<String>> {
    let header = ["bar", "what", "figure", "bound", "reached"].map(str::to_owned).to_vec();
    std::iter::once(header).chain(bars.iter().map(bar)).collect()
}

fn bar(bar: &Bar) -> Vec<String> {
    cells(bar).to_vec()
}

fn cells(bar: &Bar) -> [String; 5] {
    let bound = match bar.bound {
        Bound::AtLeast(bound) => format!("≥ {}", number(Some(bound), bar.unit)),
        Bound::AtMost(bound) => format!("≤ {}", number(Some(bound), bar.unit)),
    };
    let reached = match bar.reached {
        Some(true) => "yes",
        Some(false) => "NO",
        None => UNKNOWN,
    };
    let figure = number(bar.figure, bar.unit);
    [bar.id.to_owned(), bar.what.to_owned(), figure, bound, reached.to_owned()]
}

/// Formats a value with three significant digits and its unit; a dash if there is none.
pub(super) fn number(value: Option<f64>, unit: &str) -> String {
    let digits = match value {
        None => return "–".to_owned(),
        Some(value) if value.abs() >= 100.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    };
    format!("{digits} {unit}").trim_end().to_owned()
}

/// Lays out columns side by side, as wide as their widest cell; columns of numbers are
/// right-aligned.
pub(super) fn aligned(lines: &[Vec<String>]) -> String {
    let columns: Vec<Column> = (0..lines.iter().map(Vec::len).max().unwrap_or(0))
        .map(|place| Column::of(lines.iter().filter_map(|line| line.get(place))))
        .collect();
    let mut text = String::new();
    for cells in lines {
        let padded: Vec<String> =
            cells.iter().zip(&columns).map(|(cell, column)| column.pad(cell)).collect();
        line(&mut text, format_args!("{}", padded.join("  ").trim_end()));
    }
    text
}

struct Column {
    width: usize,
    numbers: bool,
}

impl Column {
    fn of<'a>(cells: impl Iterator<Item = &'a String>) -> Self {
        let mut column = Self { width: 0, numbers: false };
        for cell in cells {
            column.width = column.width.max(cell.chars().count());
            column.numbers = cell.starts_with(|first: char| first.is_ascii_digit() || first == '–');
        }
        column
    }

    fn pad(&self, cell: &str) -> String {
        let width = self.width;
        if self.numbers { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let lines =
            [vec!["a".to_owned(), "µs".to_owned()], vec!["long".to_owned(), "1".to_owned()]];
        assert_eq!(aligned(&lines), "a     µs\nlong   1\n");
    }

    #[test]
    fn a_report_shows_bars_and_checks() {
        let mut report = Report::new("posts", super::super::POSTS, false, "a test".to_owned());
        report.bars.push(Bar::new(
            "P1",
            "posts per trivial POST",
            Some(0.61),
            Bound::AtLeast(0.5),
            "×",
        ));
        report.bars.push(Bar::new("P1", "server CPU per post", None, Bound::AtMost(28.0), "µs"));
        report.check("nothing lost", false, "1 missing".to_owned());
        let text = render(&report);
        assert!(text.contains("P1   posts per trivial POST  0.61 ×  ≥ 0.50 ×   yes\n"), "{text}");
        assert!(text.contains("not measured"), "{text}");
        assert!(text.contains("FAILED  nothing lost: 1 missing\n"), "{text}");
        let verdicts = verdicts(&[report], &[("P18", "the web client")]);
        let elsewhere =
            verdicts.lines().find(|line| line.starts_with("P18  not measured")).unwrap();
        assert!(elsewhere.ends_with("the web client"), "{verdicts}");
        assert!(verdicts.contains("P1   reached       0.61 ×"), "{verdicts}");
        assert!(verdicts.ends_with("1 of 2 bars reached\n"), "{verdicts}");
    }
}
