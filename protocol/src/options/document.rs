//! The options as a page of the documentation shows them.

use super::OPTIONS;

/// One table in Markdown, a row an option.
pub fn table() -> String {
    let mut text =
        String::from("| option | variable | default | allowed | read by | meaning |\n|---|---|---|---|---|---|\n");
    for spec in OPTIONS {
        let option = if spec.is_argument() { format!("`--{}`", spec.name) } else { String::new() };
        let variable = spec.variable().map(|variable| format!("`{variable}`")).unwrap_or_default();
        let readers: Vec<&str> = spec.readers.iter().map(|reader| reader.name()).collect();
        let cells =
            [option, variable, spec.default_words(), spec.kind.allowed(), readers.join(", "), spec.help.to_owned()];
        text.push_str(&format!("| {} |\n", cells.join(" | ").replace("  ", " ")));
    }
    text
}
