//! The report as it is kept in a suite's folder, so that any format can be made of it later, without a search.
//!
//! Must hold: a report comes back as it was; one of an unknown format is refused, never guessed at; unknown fields are ignored,
//! so that a later version may add some.

use serde::{Deserialize, Serialize};

use crate::document::Report;

/// Name of the file in a suite's folder.
pub const FILE_NAME: &str = "evidence.json";
/// Version of its format.
pub const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Out<'a> {
    format: u32,
    report: &'a Report,
}

#[derive(Deserialize)]
struct In {
    report: Report,
}

/// The text is no stored report.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    #[error("it is cut off or was changed: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it has format {0}; this version of bothways reads format {FORMAT}")]
    Format(u64),
}

/// The text of the file.
#[must_use]
pub fn render(report: &Report) -> String {
    let out = Out {
        format: FORMAT,
        report,
    };
    let json = serde_json::to_string(&out).expect("the report has only string keys");
    format!("{json}\n")
}

/// Reads what [`render`] wrote.
///
/// # Errors
/// When it is something else, or of another format.
pub fn parse(text: &str) -> Result<Report, StoredError> {
    let json: serde_json::Value = serde_json::from_str(text)?;
    match json.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format != u64::from(FORMAT) => Err(StoredError::Format(format)),
        _ => Ok(serde_json::from_value::<In>(json)?.report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_report_comes_back() {
        let report = sample::report();
        assert_eq!(parse(&render(&report)).expect("a report"), report);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let whole = render(&sample::report());
        let error = |text: &str| match parse(text) {
            Ok(_) => "read".to_owned(),
            Err(error) => error.to_string(),
        };
        for (text, expected) in [
            (&whole[..whole.len() / 2], "it is cut off or was changed"),
            ("", "it is cut off or was changed"),
            ("{}", "it is cut off or was changed: missing field `report`"),
            (
                "{\"format\": 2}",
                "it has format 2; this version of bothways reads format 1",
            ),
        ] {
            let said = error(text);
            assert!(said.starts_with(expected), "{said}");
        }
        let later = whole.replacen('{', "{\"colour\": 3,", 1);
        assert_eq!(error(&later), "read");
    }
}
