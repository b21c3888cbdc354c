//! Coverage over runs and over time, as a drawing (SVG) that stands in a page.
//!
//! Must hold: the curve ends at the last run; numbers are written with few digits, so that the same report gives the same bytes.

use std::fmt::Write as _;

use crate::annex::TestRow;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 30.0;

/// What a curve is drawn over.
pub struct Axis<'a> {
    pub title: &'a str,
    /// Where the search ended.
    pub end: f64,
    pub unit: &'a str,
}

/// The curve of covered goals; `None` if no test has a place on it.
pub fn curve(
    tests: &[TestRow],
    axis: &Axis<'_>,
    at: impl Fn(&TestRow) -> f64,
    goals: (u32, u32),
) -> Option<String> {
    let (total, reachable) = goals;
    // Tests are numbered as they were kept; a run that began early may be kept late.
    let mut points: Vec<(f64, u32)> = Vec::new();
    for test in tests.iter().filter(|test| test.iteration > 0) {
        let before = points.last().copied().unwrap_or((0.0, 0));
        points.push((at(test).max(before.0), test.covered.max(before.1)));
    }
    let last = points.last()?;
    let end = axis.end.max(last.0).max(f64::MIN_POSITIVE);
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value / end;
    let top = f64::from(total.max(last.1).max(1));
    let y = |value: u32| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * f64::from(value) / top;
    let mut path = format!("M{:.1} {:.1}", x(0.0), y(0));
    for (value, covered) in &points {
        let _ = write!(path, "H{:.1}V{:.1}", x(*value), y(*covered));
    }
    let _ = write!(path, "H{:.1}", x(end));
    let area = format!("{path}V{:.1}H{:.1}Z", y(0), x(0.0));
    let mut svg = format!(
        "<svg class=plot role=img viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-label=\"covered goals over {}\">",
        axis.title
    );
    for part in 0..=4u32 {
        let value = total.max(last.1) * part / 4;
        let line = y(value);
        let _ = write!(
            svg,
            "<line class=grid x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{line:.1}\" y2=\"{line:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            line + 4.0
        );
    }
    if reachable < total {
        let line = y(reachable);
        let _ = write!(
            svg,
            "<line class=limit x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{line:.1}\" y2=\"{line:.1}\"><title>{reachable} goals are not infeasible</title></line>",
            WIDTH - RIGHT
        );
    }
    for part in 0..=4u32 {
        let value = end * f64::from(part) / 4.0;
        let anchor = match part {
            0 => "start",
            4 => "end",
            _ => "middle",
        };
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            x(value),
            HEIGHT - BOTTOM + 17.0,
            short(value, axis.unit, end)
        );
    }
    let _ = write!(
        svg,
        "<path class=area d=\"{area}\"/><path class=curve d=\"{path}\"/></svg>"
    );
    Some(svg)
}

/// A figure of an axis that ends at `end`.
fn short(value: f64, unit: &str, end: f64) -> String {
    let digits = match end {
        _ if unit.is_empty() => 0,
        end if end < 1.0 => 2,
        end if end < 20.0 => 1,
        _ => 0,
    };
    match (unit, value) {
        ("", value) if end >= 10_000_000.0 => format!("{:.1}M", value / 1e6),
        ("", value) if end >= 10_000.0 => format!("{:.0}k", value / 1e3),
        _ => format!("{value:.digits$}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_where_the_search_does() {
        let test = |seconds, covered| TestRow {
            iteration: 1,
            seconds,
            covered,
            ..TestRow::default()
        };
        let axis = Axis {
            title: "time",
            end: 4.0,
            unit: " s",
        };
        let svg = curve(
            &[test(0.0, 2), test(1.0, 4), test(0.5, 4)],
            &axis,
            |test| test.seconds,
            (4, 4),
        );
        let svg = svg.expect("there are tests");
        assert!(
            svg.contains("d=\"M44.0 160.0H44.0V86.0H145.0V12.0H145.0V12.0H448.0\""),
            "{svg}"
        );
        assert!(svg.contains(">4.0 s<") && !svg.contains("NaN"), "{svg}");
        assert!(curve(&[], &axis, |test| test.seconds, (4, 4)).is_none());
    }
}
