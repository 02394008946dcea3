//! Names within texts that cannot be split into tokens with certainty.

/// Whether a name stands in a text, where it may be a word or a quoted identifier of its own;
/// both in lower case.
///
/// What stands before may end in digits: the version of an executable comment.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let stands = |name: &str| {
        !name.is_empty()
            && text.match_indices(name).any(|(at, _)| {
                let before = text.get(..at).and_then(|before| before.chars().next_back());
                let behind = text.get(at + name.len()..);
                let behind = behind.and_then(|behind| behind.chars().next());
                let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
                let goes_on = |c: char| is_letter(c) || c.is_ascii_digit();
                !before.is_some_and(is_letter) && !behind.is_some_and(goes_on)
            })
    };
    stands(name) || (name.contains('`') && stands(&name.replace('`', "``")))
}

/// Whether a name is one that [`words`] gives.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_plain)
}

/// The words of a text in lower case, and what is left of them behind digits that they begin with.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_plain(c)).flat_map(|word| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let starts = (0..=digits.min(MAX_VERSION)).chain([digits]);
        starts
            .filter_map(|start| word.get(start..))
            .filter(|word| !word.is_empty())
    })
}

/// Digits of the version in an executable comment, at most.
const MAX_VERSION: usize = 6;

fn is_plain(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_behind_the_version_of_a_comment_too() {
        let found: Vec<&str> = words("/*!50000t */ a.`b c`\u{fffd}d_$1").collect();
        for word in ["50000t", "t", "a", "b", "c", "d_$1"] {
            assert!(found.contains(&word) && is_word(word), "{word}: {found:?}");
        }
        for name in ["", "b c", "\u{e9}"] {
            assert!(!found.contains(&name) && !is_word(name), "{name}");
        }
    }

    #[test]
    fn a_name_counts_only_where_it_is_a_whole_word() {
        for text in ["t", "a.t;", "x `t` y", "/*!50000t */", "\u{fffd}t\u{fffd}"] {
            assert!(has_word(text, "t"), "{text}");
        }
        for text in ["", "at", "_t", "t1", "t_", "$t"] {
            assert!(!has_word(text, "t"), "{text}");
        }
        assert!(has_word("x at t", "t"), "a later place");
        assert!(has_word("`a``b`", "a`b"));
        assert!(!has_word("anything", ""));
    }
}
