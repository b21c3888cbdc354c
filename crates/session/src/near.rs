//! Which of some names a mistyped one may have been.

/// Longest list of suggestions.
const MOST: usize = 3;

/// The known names that are few slips (letters changed, added, left out or swapped) from `name`, the nearest first: one slip,
/// and one more for each six letters. None where nothing is near.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let slips = 1 + name.chars().count() / 6;
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        // As many slips as letters are another name.
        .filter(|(distance, known)| *distance <= slips && *distance < known.chars().count())
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .take(MOST)
        .map(|(_, known)| known)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = [
            "branch",
            "condition",
            "decision",
            "mcdc",
            "parse_header",
            "f",
        ];
        for (name, expected) in [
            ("brunch", &["branch"][..]),
            ("mdcc", &["mcdc"]),
            ("parse_haeder", &["parse_header"]),
            ("decisions", &["decision"]),
            ("g", &[]),
            ("parse_body", &[]),
            ("permission", &[]),
            ("banana", &[]),
            ("vibes", &[]),
        ] {
            assert_eq!(near(name, known), expected, "{name}");
        }
    }
}
