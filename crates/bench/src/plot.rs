//! Plots in SVG: coverage over iterations and over time, the mean over the seeds with its spread.

use plotters::prelude::*;

use crate::of;
use crate::record::Record;
use crate::suite::Suite;

/// What the plot runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Iterations,
    Time,
}

/// Places at which the curves are taken.
const STEPS: usize = 200;
const SIZE: (u32, u32) = (860, 520);

/// Coverage of one subject: a line for each strategy, around it from the lowest to the highest of its seeds.
///
/// # Errors
/// What the plotting library says; it has no reason to on text.
pub fn svg(suite: &Suite, records: &[Record], subject: &str, axis: Axis) -> Result<String, String> {
    let runs: Vec<&Record> = records
        .iter()
        .filter(|record| record.subject == subject)
        .collect();
    let end = match axis {
        Axis::Iterations => runs
            .iter()
            .map(|run| run.iterations as f64)
            .fold(1.0, f64::max),
        Axis::Time => runs.iter().map(|run| run.seconds).fold(0.01, f64::max),
    };
    let top = runs.iter().map(|run| run.covered).max().unwrap_or(1);
    let bottom = runs
        .iter()
        .filter_map(|run| run.curve.first())
        .map(|point| point.covered)
        .min();
    let bottom = f64::from(bottom.unwrap_or(0));
    let (label, at): (_, fn(&Record, f64) -> u32) = match axis {
        Axis::Iterations => ("iterations", |run, x| run.covered_at(x as u64)),
        Axis::Time => ("seconds", Record::covered_after),
    };
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(
            &area,
            suite,
            records,
            subject,
            label,
            (end, bottom, f64::from(top)),
            at,
        )
        .map_err(|error| error.to_string())?;
    }
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(
    area: &Area<'a>,
    suite: &Suite,
    records: &[Record],
    subject: &str,
    label: &str,
    (end, bottom, top): (f64, f64, f64),
    at: fn(&Record, f64) -> u32,
) -> Result<(), Failure<'a>> {
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(subject, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end, bottom..top.max(bottom + 1.0) * 1.01)?;
    chart
        .configure_mesh()
        .x_desc(label)
        .y_desc("branches covered")
        .light_line_style(WHITE)
        .draw()?;
    for (index, strategy) in suite.strategies.iter().enumerate() {
        let runs: Vec<&Record> = of(records, subject, strategy).collect();
        if runs.is_empty() {
            continue;
        }
        let color = Palette99::pick(index).to_rgba();
        let places = (0..=STEPS).map(|step| end * step as f64 / STEPS as f64);
        let rows: Vec<(f64, f64, f64, f64)> = places
            .map(|x| {
                let values = runs.iter().map(|run| f64::from(at(run, x)).max(bottom));
                let sum: f64 = values.clone().sum();
                let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), value| {
                    (value.min(low), value.max(high))
                });
                (x, sum / runs.len() as f64, low, high)
            })
            .collect();
        let upper = rows.iter().map(|row| (row.0, row.3));
        let lower = rows.iter().rev().map(|row| (row.0, row.2));
        let spread: Vec<(f64, f64)> = upper.chain(lower).collect();
        chart.draw_series(std::iter::once(Polygon::new(spread, color.mix(0.12))))?;
        let line = LineSeries::new(rows.iter().map(|row| (row.0, row.1)), color.stroke_width(2));
        chart
            .draw_series(line)?
            .label(strategy)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn a_line_for_each_strategy() {
        let suite = Suite::parse(
            "name = 'small'\nstrategies = ['mix', 'cgs', 'dfs']\nseeds = 2\niterations = 1000\n\
             [[subject]]\nname = 'a'\nsources = ['a.c']\n",
        )
        .expect("it is right");
        let records = [
            record("a", "mix", 0, &[(1, 4), (900, 12)]),
            record("a", "mix", 1, &[(1, 4), (90, 9)]),
            record("a", "cgs", 0, &[(1, 4), (50, 8)]),
        ];
        for axis in [Axis::Iterations, Axis::Time] {
            let text = svg(&suite, &records, "a", axis).expect("it is drawn");
            assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
            // Spreads are polygons; a strategy without runs has neither line nor name.
            assert_eq!(text.matches("<polygon").count(), 2, "{text}");
            assert!(text.contains("mix") && text.contains("cgs") && !text.contains("dfs"));
        }
    }
}
