//! The nesting depth of a list or map whose elements are removed.

/// Returns the depth of a list or map with the depth `before`, after the removal of elements. `removed` is the depth of
/// the deepest of them, and `rest` are the depths of the elements that stay.
pub fn depth_without(removed: u32, before: u32, rest: impl Iterator<Item = u32>) -> u32 {
    if removed == 0 || removed + 1 < before {
        return before;
    }
    let mut deepest = 0;
    for depth in rest {
        deepest = deepest.max(depth);
        if deepest >= removed {
            return before;
        }
    }
    deepest + 1
}
