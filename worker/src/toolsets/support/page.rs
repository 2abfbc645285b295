//! Pages of a list: which part of it is shown, the line that counts, where the next page begins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Items that are shown unless the call says how many.
const LIMIT_DEFAULT: usize = 200;
/// Most items that a call may ask for.
const LIMIT_MAX: u32 = 1_000;

/// The part of a list that a call asks for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(in crate::toolsets) struct Page {
    /// How many items to show at most, 200 unless given; 0 only counts them.
    #[schemars(range(max = LIMIT_MAX), extend("default" = LIMIT_DEFAULT))]
    limit: Option<u32>,
    /// How many items to leave out at the start: the nextOffset of the page before.
    offset: Option<u32>,
}

/// How much there is, beside what is shown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::toolsets) struct Counts {
    /// How many items there are in all.
    total: usize,
    /// The offset of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

impl Counts {
    /// Whether there is nothing at all.
    pub(in crate::toolsets) fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// The items of a page, and the line above them.
pub(in crate::toolsets) struct Shown<T> {
    /// The items.
    pub(in crate::toolsets) items: Vec<T>,
    /// How much there is.
    pub(in crate::toolsets) counts: Counts,
    /// The line that says which part of the whole this is; empty if it is the whole.
    pub(in crate::toolsets) header: String,
}

impl Page {
    /// Cuts a list down to this page.
    pub(in crate::toolsets) fn of<T>(&self, all: Vec<T>) -> Shown<T> {
        let total = all.len();
        let offset = self.offset.unwrap_or(0) as usize;
        let limit = self.limit.map_or(LIMIT_DEFAULT, |limit| limit as usize);
        let items: Vec<T> = all.into_iter().skip(offset).take(limit).collect();
        let end = offset.min(total) + items.len();
        let next_offset = (end < total && limit > 0).then_some(end);
        let header = match (items.len(), next_offset) {
            (shown, _) if shown == total => String::new(),
            (0, _) if limit == 0 => format!("(showing 0 of {total})\n"),
            (0, _) => format!("(showing 0 of {total}; offset {offset} is beyond the end)\n"),
            (_, None) => format!("(showing {}-{end} of {total})\n", offset + 1),
            (_, Some(next)) => {
                format!("(showing {}-{end} of {total}; pass offset: {next} for the next page)\n", offset + 1)
            }
        };
        Shown { items, counts: Counts { total, next_offset }, header }
    }
}

impl<T> Shown<T> {
    /// The header, then a line for each item; `(none)` if there is nothing at all.
    pub(in crate::toolsets) fn lines(&self, line: impl Fn(&T) -> String) -> String {
        if self.counts.total == 0 {
            return "(none)".to_owned();
        }
        let mut text = self.header.clone();
        for item in &self.items {
            text.push_str(&line(item));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(limit: Option<u32>, offset: Option<u32>, total: usize) -> (String, Option<usize>) {
        let shown = Page { limit, offset }.of((1..=total).collect());
        (shown.lines(usize::to_string), shown.counts.next_offset)
    }

    #[test]
    fn a_page_says_which_part_it_is() {
        assert_eq!(shown(None, None, 0), ("(none)".to_owned(), None));
        assert_eq!(shown(None, None, 2), ("1\n2\n".to_owned(), None));
        let first = "(showing 1-2 of 5; pass offset: 2 for the next page)\n1\n2\n";
        assert_eq!(shown(Some(2), None, 5), (first.to_owned(), Some(2)));
        assert_eq!(shown(Some(2), Some(4), 5), ("(showing 5-5 of 5)\n5\n".to_owned(), None));
        assert_eq!(shown(Some(0), None, 5), ("(showing 0 of 5)\n".to_owned(), None));
        let beyond = "(showing 0 of 5; offset 9 is beyond the end)\n";
        assert_eq!(shown(None, Some(9), 5), (beyond.to_owned(), None));
        let (text, next) = shown(None, Some(u32::MAX), 1417);
        assert!(text.contains("beyond the end") && next.is_none());
        assert_eq!(shown(None, None, 1417).1, Some(200));
    }
}
