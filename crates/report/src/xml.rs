//! Texts in XML.
//!
//! Must hold: what comes out is well-formed, whatever goes in: characters that XML 1.0 has no form for become `?`.

/// A text, between tags or double quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(char),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            _ => escaped.push(char),
        }
    }
    escaped
}

/// A part of a whole, as XML formats of coverage have it: 1 where there is nothing to cover.
pub fn rate(part: usize, all: usize) -> String {
    match all {
        0 => "1".to_owned(),
        all => format!("{:.4}", part as f64 / all as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_text_is_escaped() {
        assert_eq!(
            escape("a<b> & \"c\"\u{1}\u{e9}"),
            "a&lt;b&gt; &amp; &quot;c&quot;?\u{e9}"
        );
        assert_eq!(escape("]]>"), "]]&gt;");
    }
}
