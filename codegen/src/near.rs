//! Near matches: which of the known names somebody may have meant.

/// Names longer than this are not compared; it bounds the work on hostile input.
const LONGEST_COMPARED: usize = 128;

/// At most this many names are suggested.
const MOST_SUGGESTED: usize = 3;

/// The candidates that are close to `name`, closest first, at most three.
pub(crate) fn near_matches<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Vec<&'c str> {
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    // One letter alone is near to nothing but its other case.
    let limit = (length + 1) / 3;
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = edit_distance(&wanted, &other)?;
            (distance <= limit).then_some((distance, candidate))
        })
        .collect();
    found.sort();
    found.dedup();
    found.truncate(MOST_SUGGESTED);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// ``did you mean `a` or `b`?``, or nothing when nothing is close.
pub(crate) fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let near = near_matches(name, candidates);
    if near.is_empty() {
        return None;
    }
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("did you mean {}?", quoted.join(" or ")))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the
/// other; nothing when a name is too long to be compared.
fn edit_distance(left: &str, right: &str) -> Option<usize> {
    let left: Vec<char> = left.chars().take(LONGEST_COMPARED + 1).collect();
    let right: Vec<char> = right.chars().take(LONGEST_COMPARED + 1).collect();
    if left.len() > LONGEST_COMPARED || right.len() > LONGEST_COMPARED {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, &l) in left.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, &r) in right.iter().enumerate() {
            let replaced = above.get(j)? + usize::from(l != r);
            let deleted = above.get(j + 1)? + 1;
            let inserted = current.get(j)? + 1;
            let mut best = replaced.min(deleted).min(inserted);
            if i > 0 && j > 0 && left.get(i - 1) == Some(&r) && right.get(j - 1) == Some(&l) {
                best = best.min(before.get(j - 1)? + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_of_neighbours_counts_once() {
        assert_eq!(edit_distance("statsu", "status"), Some(1));
        assert_eq!(edit_distance("", "abc"), Some(3));
        assert_eq!(edit_distance("kitten", "sitting"), Some(3));
    }

    #[test]
    fn closest_come_first_and_far_ones_not_at_all() {
        let near = near_matches("statis", ["banner", "states", "status", "Statis"]);
        assert_eq!(near, ["Statis", "states", "status"]);
        assert!(near_matches("zz", ["banner"]).is_empty());
        assert_eq!(near_matches("q", ["a", "b", "Q"]), ["Q"]);
    }

    #[test]
    fn overlong_names_are_not_compared() {
        let long = "x".repeat(100_000);
        assert!(near_matches(&long, [long.as_str()]).is_empty());
    }
}
