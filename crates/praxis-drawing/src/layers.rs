//! Layered graph layout: each box is placed below its predecessors.
//!
//! - in: the sizes of the boxes, and the links between them as pairs of indexes
//! - out: the position of each box, and the bends of each link
//! - never: draws a line through a box of a layer that it passes

/// Horizontal space between the boxes of a layer.
const BESIDE: i32 = 24;
/// Vertical space between layers, large enough for a label.
const BELOW: i32 = 40;

/// The result of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlacedLayers {
    /// The upper left corner of each box.
    pub corners: Vec<(i32, i32)>,
    /// The points of each link between its two ends.
    pub bends: Vec<Vec<(i32, i32)>>,
    /// Total width.
    pub width: i32,
    /// Total height.
    pub height: i32,
}

/// One slot of a layer.
#[derive(Clone, Copy, PartialEq)]
enum LayerEntry {
    /// A box, by index.
    Whole(usize),
    /// A link, by index, that crosses the layer without ending there.
    Passing(usize),
}

/// Computes the layout of boxes with these sizes.
pub(crate) fn layers(sizes: &[(i32, i32)], links: &[(usize, usize)]) -> PlacedLayers {
    let ranks = ranks(sizes.len(), links);
    let mut rows = rows(&ranks, links);
    order(&mut rows, links);
    let wide = |row: &Vec<LayerEntry>| {
        let boxes: i32 = row.iter().map(|entry| size(sizes, *entry).0 + BESIDE).sum();
        boxes - BESIDE
    };
    let width = rows.iter().map(wide).max().unwrap_or_default().max(0);
    let mut found = PlacedLayers {
        corners: vec![(0, 0); sizes.len()],
        bends: vec![vec![]; links.len()],
        width,
        height: 0,
    };
    for row in &rows {
        let high = row.iter().map(|entry| size(sizes, *entry).1).max().unwrap_or_default();
        let (mut x, y) = ((width - wide(row)) / 2, found.height);
        for entry in row {
            match entry {
                LayerEntry::Whole(index) => {
                    if let Some(corner) = found.corners.get_mut(*index) {
                        *corner = (x, y);
                    }
                }
                LayerEntry::Passing(link) => {
                    if let Some(bends) = found.bends.get_mut(*link) {
                        bends.extend([(x, y), (x, y + high)]);
                    }
                }
            }
            x += size(sizes, *entry).0 + BESIDE;
        }
        found.height += high + BELOW;
    }
    found.height = (found.height - BELOW).max(0);
    found
}

fn size(sizes: &[(i32, i32)], entry: LayerEntry) -> (i32, i32) {
    match entry {
        LayerEntry::Whole(index) => sizes.get(index).copied().unwrap_or_default(),
        LayerEntry::Passing(_) => (0, 0),
    }
}

/// Returns the layer of each box: the length of the longest path that leads to it. The number of boxes bounds both
/// the passes and the layers, so a cycle terminates.
fn ranks(count: usize, links: &[(usize, usize)]) -> Vec<usize> {
    let mut ranks = vec![0_usize; count];
    for _ in 0..count {
        let mut moved = false;
        for (from, to) in links.iter().filter(|(from, to)| from != to) {
            let wanted = ranks.get(*from).map_or(0, |rank| rank + 1);
            if let Some(rank) = ranks.get_mut(*to).filter(|rank| **rank < wanted && wanted < count)
            {
                (*rank, moved) = (wanted, true);
            }
        }
        if !moved {
            break;
        }
    }
    ranks
}

fn rows(ranks: &[usize], links: &[(usize, usize)]) -> Vec<Vec<LayerEntry>> {
    let depth = ranks.iter().max().map_or(0, |last| last + 1);
    let mut rows: Vec<Vec<LayerEntry>> = vec![vec![]; depth];
    let mut put = |rank: usize, entry: LayerEntry| {
        if let Some(row) = rows.get_mut(rank) {
            row.push(entry);
        }
    };
    for (index, rank) in ranks.iter().enumerate() {
        put(*rank, LayerEntry::Whole(index));
    }
    for (link, (from, to)) in links.iter().enumerate() {
        let rank = |index: &usize| ranks.get(*index).copied().unwrap_or_default();
        ((rank(from) + 1)..rank(to)).for_each(|rank| put(rank, LayerEntry::Passing(link)));
    }
    rows
}

/// Sorts each layer by the mean position of the predecessors (barycentre heuristic), to reduce crossings.
fn order(rows: &mut [Vec<LayerEntry>], links: &[(usize, usize)]) {
    let mut above: Vec<LayerEntry> = rows.first().cloned().unwrap_or_default();
    for row in rows.iter_mut().skip(1) {
        let middle = |entry: &LayerEntry| {
            let leads = |(place, other): (usize, &LayerEntry)| {
                let is_parent = links.iter().enumerate().any(|(link, (from, to))| {
                    let begins =
                        *other == LayerEntry::Whole(*from) || *other == LayerEntry::Passing(link);
                    let ends =
                        *entry == LayerEntry::Whole(*to) || *entry == LayerEntry::Passing(link);
                    begins && ends
                });
                is_parent.then_some(place * 1000)
            };
            let parents: Vec<usize> = above.iter().enumerate().filter_map(leads).collect();
            parents.iter().sum::<usize>().checked_div(parents.len()).unwrap_or(usize::MAX)
        };
        let mut keyed: Vec<(usize, LayerEntry)> =
            row.iter().map(|entry| (middle(entry), *entry)).collect();
        keyed.sort_by_key(|(middle, _)| *middle);
        *row = keyed.into_iter().map(|(_, entry)| entry).collect();
        above.clone_from(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_stands_below_all_that_lead_to_it_and_a_long_line_passes_beside_boxes() {
        // Links: 0 -> 1 -> 2 and 0 -> 2.
        let found = layers(&[(100, 30); 3], &[(0, 1), (1, 2), (0, 2)]);
        let y: Vec<i32> = found.corners.iter().map(|corner| corner.1).collect();
        assert_eq!(y, [0, 70, 140]);
        let (left, _) = found.corners[1];
        for (x, _) in &found.bends[2] {
            assert!(*x < left || *x > left + 100, "{found:?}");
        }
        assert_eq!((found.bends[0].len(), found.bends[2].len()), (0, 2));
        assert_eq!(found.height, 170);
    }

    #[test]
    fn a_circle_and_no_box_at_all_are_laid_out_too() {
        assert_eq!(layers(&[(10, 10); 2], &[(0, 1), (1, 0), (0, 0)]).corners.len(), 2);
        assert_eq!(layers(&[], &[]), PlacedLayers::default());
    }
}
