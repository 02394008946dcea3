//! A case with a finding made smaller: statements that are not needed for it are left out.
//!
//! The tables stay as they are, so the case is compiled once.

use std::time::{Duration, Instant};

use crate::case::{Case, Step};
use crate::error::Error;
use crate::finding::Finding;
use crate::folder::Folder;
use crate::ground::Ground;
use crate::mirrors::Mirrors;
use crate::round::{Outcome, build};

/// A statement and the part it stands in; part 0 is the one before the mirror starts.
type Placed = (usize, Step);

/// Leaves statements out as long as one of the findings stays, at most so long; the smaller
/// case, or nothing when the finding does not come again.
///
/// # Errors
/// When the server cannot be used.
pub fn shrink(
    ground: &mut Ground,
    folder: &Folder,
    case: &Case,
    shapes: &[String],
    limit: Duration,
) -> Result<Option<Case>, Error> {
    ground.clear(case)?;
    ground.set_up(case)?;
    let built = build(
        ground,
        folder,
        std::slice::from_ref(case),
        &mut Outcome::default(),
        &|_| (),
    )?;
    let Some((program, tables)) = built else {
        return Ok(None);
    };
    let mut mirrors = Mirrors::start(&program, &ground.url, folder, tables)?;
    let until = Instant::now() + limit;
    let mut steps = place(case);
    let parts = case.parts.len();
    if !has(
        &trial(ground, &mut mirrors, &assemble(case, parts, &steps))?,
        shapes,
    ) {
        return Ok(None);
    }
    let mut size = steps.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < steps.len() && Instant::now() < until {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + size).min(steps.len()));
            if has(
                &trial(ground, &mut mirrors, &assemble(case, parts, &fewer))?,
                shapes,
            ) {
                steps = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    Ok(Some(assemble(case, parts, &steps)))
}

fn place(case: &Case) -> Vec<Placed> {
    let before = case.before.iter().map(|step| (0, step.clone()));
    let parts = case.parts.iter().enumerate();
    let parts = parts.flat_map(|(at, steps)| steps.iter().map(move |step| (at + 1, step.clone())));
    before.chain(parts).collect()
}

fn assemble(case: &Case, parts: usize, steps: &[Placed]) -> Case {
    let of = |part: usize| -> Vec<Step> {
        let steps = steps.iter().filter(|(at, _)| *at == part);
        steps.map(|(_, step)| step.clone()).collect()
    };
    Case {
        before: of(0),
        parts: (1..=parts).map(of).collect(),
        ..case.clone()
    }
}

fn has(findings: &[Finding], shapes: &[String]) -> bool {
    findings
        .iter()
        .any(|finding| shapes.contains(&finding.shape()))
}

/// Runs a case from the start with the tables as they are compiled in.
fn trial(
    ground: &mut Ground,
    mirrors: &mut Mirrors<'_>,
    case: &Case,
) -> Result<Vec<Finding>, Error> {
    mirrors.end()?;
    ground.renew_sessions()?;
    ground.clear(case)?;
    ground.set_up(case)?;
    ground.run(0, &case.before)?;
    let mut run = || -> Result<(), Error> {
        mirrors.follow()?;
        for part in &case.parts {
            ground.run(0, part)?;
            mirrors.catch_up(ground)?;
        }
        mirrors.load_afresh(ground)
    };
    match run() {
        Err(Error::Program { .. }) | Ok(()) => Ok(std::mem::take(&mut mirrors.findings)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_come_back_to_their_parts() {
        let step = |sql: &str| Step {
            session: 1,
            sql: sql.to_owned(),
        };
        let case = Case {
            before: vec![step("a")],
            parts: vec![vec![step("b")], vec![], vec![step("c"), step("d")]],
            ..Case::default()
        };
        let mut steps = place(&case);
        assert_eq!(assemble(&case, 3, &steps), case);
        steps.remove(1);
        assert_eq!(
            assemble(&case, 3, &steps).parts,
            [vec![], vec![], vec![step("c"), step("d")]]
        );
    }
}
