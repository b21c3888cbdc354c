//! Pages say what is there: lists come from registries, links lead somewhere, decisions have their form.
//!
//! Sections that are generated are written by `make docs` (`UPDATE_EXPECT=1`).

use std::path::Path;

use e2e::pages::{self, Page};
use e2e::root;

/// Every Markdown page outside of build output, by its path in the repository.
fn all() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            let is_ours =
                !name.starts_with('.') && !matches!(name, "target" | "build" | "bothways-out");
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if name.ends_with(".md") && is_ours {
                let path = path.strip_prefix(root()).expect("it is below");
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|char| match char {
            ' ' => Some('-'),
            '-' | '_' => Some(char),
            _ => char.is_alphanumeric().then_some(char),
        })
        .collect()
}

/// Targets of links, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let prose = text.lines().filter(|line| {
        in_code ^= line.starts_with("```");
        !in_code
    });
    let targets = prose.flat_map(|line| line.split("](").skip(1));
    targets
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .filter(|target| !target.contains("://"))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for page in all() {
        for link in links(&Page::read(&page).text) {
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let file = match file {
                "" => page.clone(),
                file => {
                    let folder = Path::new(&page).parent().unwrap_or(Path::new(""));
                    folder.join(file).display().to_string()
                }
            };
            assert!(root().join(&file).exists(), "{page}: {link}: no such file");
            if !place.is_empty() {
                let headings = Page::read(&file).text;
                let mut headings = headings.lines().filter(|line| line.starts_with('#'));
                assert!(
                    headings.any(|heading| anchor(heading) == place),
                    "{page}: {link}: no such heading"
                );
            }
        }
    }
}

const DECISIONS: &str = "docs/decisions";

#[test]
fn decisions_have_their_form_and_an_index() {
    let mut names: Vec<String> = std::fs::read_dir(root().join(DECISIONS))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name != "README.md")
        .collect();
    names.sort();
    let rows = names.iter().map(|name| {
        let text = Page::read(&format!("{DECISIONS}/{name}")).text;
        let number = &name[..4];
        let title = text.lines().next().unwrap_or("");
        let title = title.strip_prefix(&format!("# {number}: "));
        let title = title.unwrap_or_else(|| panic!("{name} begins with `# {number}: TITLE`"));
        let headings = text.lines().filter(|line| line.starts_with("## "));
        assert_eq!(
            headings.collect::<Vec<_>>(),
            ["## Context", "## Decision", "## Consequence"],
            "{name}"
        );
        let lines = text.lines().count();
        assert!(lines < 45, "{name}: a record is short, not {lines} lines");
        [number.to_owned(), format!("[{title}]({name})")]
    });
    let table = pages::table(["number", "decision"], rows);
    for pair in names.windows(2) {
        assert_ne!(pair[0][..4], pair[1][..4], "{} and {}", pair[0], pair[1]);
    }
    Page::read(&format!("{DECISIONS}/README.md")).section("decisions", &table);
}

/// Tables cannot be broken into lines, and neither can a link be.
#[test]
fn lines_of_pages_are_short() {
    for page in ["ARCHITECTURE.md"]
        .map(str::to_owned)
        .into_iter()
        .chain(decisions())
    {
        let mut in_code = false;
        for (number, line) in Page::read(&page).text.lines().enumerate() {
            in_code ^= line.starts_with("```");
            let may_be_long = in_code || line.starts_with('|');
            assert!(
                may_be_long || line.chars().count() <= 120,
                "{page}:{}: over 120 characters",
                number + 1
            );
        }
    }
}

fn decisions() -> Vec<String> {
    let pages = all().into_iter();
    pages.filter(|page| page.starts_with(DECISIONS)).collect()
}
