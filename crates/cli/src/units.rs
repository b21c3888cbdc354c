//! Quantities as users type them (durations, sizes, percentages, ranges).

use std::time::Duration;

/// `10`, `1.5`, `500ms`, `10s`, `5m`, `2h`; a bare number is seconds.
///
/// # Errors
/// What is wrong with the text.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit '{unit}': use ms, s, m or h")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a duration such as 10, 500ms, 5m"))?;
    let seconds = number * factor;
    if !(0.001..=1e7).contains(&seconds) {
        return Err(format!("'{text}' is out of range (1ms to 2777h)"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `512M`, `2G`, `512`; a bare number is mebibytes, as for other test generators' memory flags.
///
/// # Errors
/// What is wrong with the text.
pub fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "K" | "k" => 10,
        "" | "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(format!("unknown unit '{unit}': use K, M or G")),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a size such as 512M or 2G"))?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| *bytes >= 1 << 20)
        .ok_or_else(|| format!("'{text}' is out of range (at least 1M)"))
}

/// `100%`, `85`, `99.5%`.
///
/// # Errors
/// What is wrong with the text.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err(format!("'{text}' is not a percentage between 0 and 100")),
    }
}

/// Lengths that a symbolic stream may have: `N` is 0 to N bytes, `A..B` is A to B bytes, both included.
///
/// # Errors
/// What is wrong with the text.
pub fn lengths(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| {
        part.parse::<u32>()
            .map_err(|_| format!("'{text}' is not a length such as 64 or 8..64"))
    };
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (number(min)?, number(max.trim_start_matches('='))?),
        None => (0, number(text)?),
    };
    if min > max {
        return Err(format!(
            "'{text}': the shortest length is above the longest"
        ));
    }
    if max > 1 << 20 {
        return Err(format!("'{text}': at most 1048576 symbolic bytes"));
    }
    Ok((min, max))
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "x", "-1", "10 parsecs", "0", "1e999"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(memory("512"), Ok(512 << 20));
        assert_eq!(memory("2GiB"), Ok(2 << 30));
        for bad in ["", "M", "1K", "5T", "99999999999999999999G"] {
            assert!(memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(lengths("8"), Ok((0, 8)));
        assert_eq!(lengths("8..8"), Ok((8, 8)));
        assert_eq!(lengths("0..=9"), Ok((0, 9)));
        for bad in ["", "a", "9..8", "1..x", "4294967296"] {
            assert!(lengths(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages() {
        assert_eq!(percent("100%"), Ok(100.0));
        assert_eq!(percent("99.5"), Ok(99.5));
        assert!(percent("101").is_err());
    }
}
