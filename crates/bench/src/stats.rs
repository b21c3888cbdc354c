//! Statistics of two samples: Mann and Whitney's U, and Vargha and Delaney's A.

/// Two samples compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Two-sided: normal approximation, corrected for ties and continuity.
    pub p: f64,
    /// Vargha and Delaney's A12: the chance that a value of the first is greater than one of the second, ties as half.
    pub effect: f64,
}

impl Comparison {
    /// Vargha and Delaney's words for the effect.
    #[must_use]
    pub fn size(&self) -> &'static str {
        match (self.effect - 0.5).abs() {
            distance if distance < 0.06 => "none",
            distance if distance < 0.14 => "small",
            distance if distance < 0.21 => "medium",
            _ => "large",
        }
    }
}

/// Compares two samples (Mann and Whitney 1947; Vargha and Delaney 2000). `None` when one is empty.
#[must_use]
pub fn compare(first: &[f64], second: &[f64]) -> Option<Comparison> {
    let (n, m) = (first.len() as f64, second.len() as f64);
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let above = |a: f64| -> f64 {
        let points = second.iter().map(|&b| match a.total_cmp(&b) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        points.sum()
    };
    let u: f64 = first.iter().map(|&a| above(a)).sum();
    let mut all: Vec<f64> = first.iter().chain(second).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: f64 = all
        .chunk_by(|a, b| a == b)
        .map(|same| (same.len() as f64).powi(3) - same.len() as f64)
        .sum();
    let count = n + m;
    let variance = n * m / 12.0 * ((count + 1.0) - ties / (count * (count - 1.0)));
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    let p = if variance > 0.0 {
        libm::erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2)
    } else {
        1.0
    };
    Some(Comparison {
        p: p.min(1.0),
        effect: u / (n * m),
    })
}

/// The mean; 0 of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(first: &[f64], second: &[f64], p: f64, effect: f64) {
        let found = compare(first, second).expect("both have values");
        assert!((found.p - p).abs() < 5e-4, "{found:?}");
        assert!((found.effect - effect).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn known_samples() {
        // scipy.stats.mannwhitneyu(method="asymptotic") of the same samples.
        let (low, high): (Vec<f64>, Vec<f64>) = (
            (1..=10).map(f64::from).collect(),
            (11..=20).map(f64::from).collect(),
        );
        check(&low, &high, 0.000_183, 0.0);
        check(
            &[19.0, 22.0, 16.0, 29.0, 24.0],
            &[20.0, 11.0, 17.0, 12.0],
            0.111_35,
            0.85,
        );
        check(
            &[1.0, 2.0, 2.0, 3.0],
            &[2.0, 2.0, 3.0, 4.0],
            0.352_90,
            0.281_25,
        );
        check(&[5.0; 4], &[5.0; 4], 1.0, 0.5);
        assert_eq!(compare(&[], &[1.0]), None);
    }

    #[test]
    fn sizes_have_words() {
        let size = |effect| Comparison { p: 0.0, effect }.size();
        assert_eq!(
            [0.5, 0.6, 0.31, 0.95].map(size),
            ["none", "small", "medium", "large"]
        );
    }
}
