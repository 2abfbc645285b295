//! What the toolsets share: asking the image, pages of a list, targets.

pub(super) mod ask;
pub(super) mod change;
pub(super) mod page;
pub(super) mod targets;
