//! Which tables' changes change rows of others, by the compiled foreign keys.

use crate::error::ValueError;
use crate::image::{ImageError, Plan, RowImages, RowsEvent, RowsKind};
use crate::layout::{ForeignKeyLayout, TableLayout};
use crate::store::RowValues;

/// A foreign key, seen from its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// Table index of the child.
    pub(crate) child: usize,
    /// Index into the child's foreign keys.
    pub(crate) key: usize,
    pub(crate) layout: &'static ForeignKeyLayout,
}

/// The foreign keys of all tables that are followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForeignKeys {
    /// By table index of the parent.
    by_parent: Vec<Vec<Link>>,
}

impl ForeignKeys {
    /// `selected` says which of the tables are followed, by table index.
    pub(crate) fn new(layouts: &[&'static TableLayout], selected: &[bool]) -> Self {
        let mut by_parent = vec![Vec::new(); layouts.len()];
        for (child, layout) in layouts.iter().enumerate() {
            if selected.get(child) != Some(&true) {
                continue;
            }
            for (key, foreign_key) in layout.foreign_keys.iter().enumerate() {
                let links = parent_of(layouts, foreign_key).and_then(|at| by_parent.get_mut(at));
                if let Some(links) = links {
                    links.push(Link {
                        child,
                        key,
                        layout: foreign_key,
                    });
                }
            }
        }
        Self { by_parent }
    }

    /// The foreign keys to a table.
    pub(crate) fn of(&self, parent: usize) -> &[Link] {
        self.by_parent.get(parent).map_or(&[], Vec::as_slice)
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_parent.iter().all(Vec::is_empty)
    }

    /// Parents and children of a table.
    pub(crate) fn relatives(&self, table: usize) -> Vec<usize> {
        let children = self.of(table).iter().map(|link| link.child);
        let parents = self.by_parent.iter().enumerate();
        let parents = parents.filter(|(_, links)| links.iter().any(|link| link.child == table));
        children.chain(parents.map(|(parent, _)| parent)).collect()
    }
}

/// Table index of a foreign key's parent.
pub(crate) fn parent_of(layouts: &[&'static TableLayout], key: &ForeignKeyLayout) -> Option<usize> {
    layouts
        .iter()
        .position(|layout| (layout.database, layout.table) == key.parent)
}

/// Whether any row of an event may change what child rows refer to: a delete does, an update
/// where the columns are in the after image with other bytes than before.
pub(crate) fn may_change_keys(
    plan: &Plan,
    rows: &RowsEvent<'_>,
    links: &[Link],
) -> Result<bool, ImageError> {
    match rows.kind {
        RowsKind::Insert => return Ok(false),
        RowsKind::Delete => return Ok(true),
        RowsKind::Update => {}
    }
    let fields = || links.iter().flat_map(|link| link.layout.parent_fields);
    let mut reader = plan.reader(rows);
    while let Some(images) = reader.next()? {
        if fields().any(|&field| may_change(&images, field).unwrap_or(true)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn may_change(images: &RowImages<'_>, field: usize) -> Result<bool, ValueError> {
    let (Some(before), Some(after)) = (&images.before, &images.after) else {
        return Ok(true);
    };
    if !after.is_present(field) && !after.replaces() {
        return Ok(false);
    }
    Ok(before.raw(field)? != after.raw(field)?)
}

/// Whether the values that child rows refer to differ in two states of a parent row.
pub(crate) fn keys_differ(link: &Link, before: &dyn RowValues, after: &dyn RowValues) -> bool {
    let mut fields = link.layout.parent_fields.iter();
    fields.any(|&field| before.column_value(field) != after.column_value(field))
}
