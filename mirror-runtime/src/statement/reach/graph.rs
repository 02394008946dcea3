//! Objects of a server and the names that their definitions mention, up to mirrored tables.
//!
//! Nothing is looked up as the server does it: a definition reaches whatever an identifier in it
//! may mean. That can take a name for an object that it is not, which costs a reload, never a row.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::lexer::Token;
use super::super::qualifier;
use super::words::{has_word, is_word, words};
use crate::layout::TableLayout;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A mirrored table.
    Mirrored(usize),
    /// A view.
    View,
    /// A table with a trigger.
    TriggerTable,
    /// A table whose changes change others by foreign keys.
    Parent,
    /// A table or view that had another name.
    Renamed,
    /// A stored function.
    Function,
    /// A stored procedure: only other definitions can call it unseen.
    Procedure,
    /// A package of MariaDB.
    Package,
}

/// A name as a number: the same for all spellings of case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Symbol(u32);

/// A name in a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mention {
    /// `None` where any database may be meant.
    database: Option<Symbol>,
    name: Symbol,
    /// Whether a parenthesis follows, as behind the name of a function.
    called: bool,
}

#[derive(Debug)]
struct Object {
    kind: Kind,
    database: Symbol,
    name: Symbol,
    mentions: Vec<Mention>,
    /// The definition, in lower case, where it cannot be split with certainty: every name counts
    /// then that stands anywhere in it.
    uncertain: Option<String>,
    /// Mirrored tables, by table index.
    reaches: BTreeSet<usize>,
}

/// What a statement hit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The first object that the statement names.
    pub(super) kind: Kind,
    /// Its name, `database.name`, as the server has it in lower case.
    pub(super) name: String,
    /// Mirrored tables that are reached, by table index, through any object.
    pub(super) tables: BTreeSet<usize>,
}

/// The objects; see the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Graph {
    symbols: HashMap<String, Symbol>,
    names: Vec<String>,
    objects: Vec<Object>,
    by_name: HashMap<Symbol, Vec<usize>>,
    /// Names of objects that are not plain words, which are sought by themselves in a text that
    /// cannot be split.
    special: HashSet<Symbol>,
    /// Objects were added since `reaches` was computed.
    stale: bool,
}

impl Graph {
    /// The mirrored tables only.
    pub(super) fn new(layouts: &[&'static TableLayout]) -> Self {
        let mut graph = Self::default();
        for (table, layout) in layouts.iter().enumerate() {
            let kind = Kind::Mirrored(table);
            graph.push(kind, layout.database, layout.table, Vec::new(), None);
        }
        graph
    }

    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Adds an object with the identifiers of its definition; names without a database are of
    /// the default one, of any if that is empty.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        database: &str,
        name: &str,
        definition: &[Token<'_>],
        default: &str,
    ) {
        let mentions = (0..definition.len())
            .filter_map(|at| self.mention(definition, at, default))
            .collect();
        self.push(kind, database, name, mentions, None);
    }

    /// Adds an object with a definition that cannot be split with certainty.
    pub(super) fn add_uncertain(&mut self, kind: Kind, database: &str, name: &str, text: &str) {
        let text = text.to_lowercase();
        let mentions = words(&text).map(|word| anywhere(self.symbol(word)));
        let mentions = mentions.collect();
        self.push(kind, database, name, mentions, Some(text));
    }

    fn push(
        &mut self,
        kind: Kind,
        database: &str,
        name: &str,
        mut mentions: Vec<Mention>,
        uncertain: Option<String>,
    ) {
        mentions.sort_unstable();
        mentions.dedup();
        let is_special = !is_word(&name.to_lowercase());
        let (database, name) = (self.symbol(database), self.symbol(name));
        let is_known = |&at: &usize| {
            self.objects.get(at).is_some_and(|known| {
                (known.kind, known.database) == (kind, database)
                    && (&known.mentions, &known.uncertain) == (&mentions, &uncertain)
            })
        };
        if self
            .by_name
            .get(&name)
            .is_some_and(|at| at.iter().any(is_known))
        {
            return;
        }
        if is_special {
            self.special.insert(name);
        }
        self.by_name
            .entry(name)
            .or_default()
            .push(self.objects.len());
        let reaches = match kind {
            Kind::Mirrored(table) => BTreeSet::from([table]),
            _ => BTreeSet::new(),
        };
        self.objects.push(Object {
            kind,
            database,
            name,
            mentions,
            uncertain,
            reaches,
        });
        self.stale = true;
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        let name = name.to_lowercase();
        if let Some(&known) = self.symbols.get(&name) {
            return known;
        }
        // So many names would not fit into memory.
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.clone());
        self.symbols.insert(name, symbol);
        symbol
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("", String::as_str)
    }

    fn mention(&mut self, tokens: &[Token<'_>], at: usize, default: &str) -> Option<Mention> {
        let name = tokens.get(at)?.identifier()?;
        let database = qualifier(tokens, at).unwrap_or(default);
        Some(Mention {
            database: (!database.is_empty()).then(|| self.symbol(database)),
            name: self.symbol(name),
            called: is_called(tokens, at),
        })
    }

    /// Computes what each object reaches, by passes over all of them until nothing is new.
    fn refresh(&mut self) {
        let mut changed = std::mem::take(&mut self.stale);
        while changed {
            changed = false;
            for at in 0..self.objects.len() {
                let mut found: BTreeSet<usize> = BTreeSet::new();
                for to in self.mentioned_by(at) {
                    found.extend(self.objects.get(to).iter().flat_map(|to| &to.reaches));
                }
                let Some(object) = self.objects.get_mut(at) else {
                    continue;
                };
                let before = object.reaches.len();
                object.reaches.extend(found);
                changed |= object.reaches.len() > before;
            }
        }
    }

    /// The objects that a definition may mean, by index.
    fn mentioned_by(&self, at: usize) -> HashSet<usize> {
        let Some(object) = self.objects.get(at) else {
            return HashSet::new();
        };
        let names = object.mentions.iter().copied();
        let special = object.uncertain.iter();
        names
            .chain(special.flat_map(|text| self.special_in(text)))
            .flat_map(|mention| self.meant(mention))
            .collect()
    }

    /// The objects that a name may mean, by index.
    fn meant(&self, mention: Mention) -> impl Iterator<Item = usize> {
        let named = self.by_name.get(&mention.name).into_iter().flatten();
        named.copied().filter(move |&at| {
            self.objects.get(at).is_some_and(|object| {
                let is_there = mention
                    .database
                    .is_none_or(|database| database == object.database);
                is_there && (mention.called || object.kind != Kind::Function)
            })
        })
    }

    /// The names that are not plain words and stand anywhere in a text in lower case.
    fn special_in(&self, text: &str) -> impl Iterator<Item = Mention> {
        let readable = !text.contains(char::REPLACEMENT_CHARACTER);
        let names = self.special.iter().copied();
        let found = names.filter(move |&symbol| {
            let name = self.text(symbol);
            has_word(text, name) || !(readable || name.is_ascii())
        });
        found.map(anywhere)
    }

    /// What a statement reaches through objects that it names; the mirrored tables that it names
    /// itself do not count.
    pub(super) fn hit(&mut self, tokens: &[Token<'_>], default: &str) -> Option<Hit> {
        self.refresh();
        let known = |name: &str| self.symbols.get(&name.to_lowercase()).copied();
        let named = (0..tokens.len()).filter_map(|at| {
            let database = qualifier(tokens, at).unwrap_or(default);
            Some(Mention {
                name: known(tokens.get(at)?.identifier()?)?,
                database: match database.is_empty() {
                    true => None,
                    false => Some(known(database)?),
                },
                called: is_called(tokens, at),
            })
        });
        self.hit_of(named.flat_map(|mention| self.meant(mention)))
    }

    /// As [`hit`](Self::hit), of a statement that cannot be split with certainty.
    pub(super) fn hit_anywhere(&mut self, text: &str) -> Option<Hit> {
        self.refresh();
        let text = text.to_lowercase();
        let plain = words(&text).filter_map(|word| self.symbols.get(word).copied());
        let named = plain.map(anywhere).chain(self.special_in(&text));
        self.hit_of(named.flat_map(|mention| self.meant(mention)))
    }

    fn hit_of(&self, named: impl Iterator<Item = usize>) -> Option<Hit> {
        let mut hit: Option<Hit> = None;
        for object in named.filter_map(|at| self.objects.get(at)) {
            let is_own = matches!(object.kind, Kind::Mirrored(_) | Kind::Procedure);
            if is_own || object.reaches.is_empty() {
                continue;
            }
            let hit = hit.get_or_insert_with(|| Hit {
                kind: object.kind,
                name: format!("{}.{}", self.text(object.database), self.text(object.name)),
                tables: BTreeSet::new(),
            });
            hit.tables.extend(&object.reaches);
        }
        hit
    }
}

/// A name that stands anywhere, and may mean anything.
fn anywhere(name: Symbol) -> Mention {
    Mention {
        database: None,
        name,
        called: true,
    }
}

fn is_called(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at + 1) == Some(&Token::Punct('('))
}
