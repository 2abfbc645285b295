//! Cutting a text that others wrote, where an answer of ours repeats a part of it.

/// Longest part of a client's own text that an error repeats, in characters.
pub(crate) const ECHO_CHARACTERS_MAX: usize = 64;

/// The beginning of a client's own text.
pub(crate) fn echo(text: &str) -> String {
    cut(text, ECHO_CHARACTERS_MAX)
}

/// The first characters of a text, with three points where there are more.
pub(crate) fn cut(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("ééé", 2), "éé...");
        assert_eq!(cut("ééé", 3), "ééé");
        assert_eq!(echo(&"x".repeat(65)).len(), 67);
    }
}
