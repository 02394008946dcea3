//! Problems as the user sees them: where, what, expected and found, what to do; and reports
//! that hold every problem found in one go.

use std::fmt;

/// One problem with its place and remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON path such as `tables[2].columns[0]`, or a table or column of the server; may
    /// be empty.
    pub place: String,
    /// Line in schema.json, from 1; absent when the problem is not in that file's text.
    pub line: Option<usize>,
    /// What is wrong, in one sentence.
    pub what: String,
    /// What would be right; may be empty.
    pub expected: String,
    /// What is there; may be empty.
    pub found: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

impl Problem {
    /// A problem with its place and one sentence; the rest is filled in by the methods below.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            line: None,
            what: what.into(),
            expected: String::new(),
            found: String::new(),
            remedy: String::new(),
        }
    }

    /// Adds the line in schema.json.
    #[must_use]
    pub fn line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds what would be right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// Adds what is there.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        if !self.place.is_empty() || self.line.is_some() {
            f.write_str(": ")?;
        }
        f.write_str(&self.what)?;
        for (label, text) in [
            ("expected", &self.expected),
            ("found", &self.found),
            ("to do", &self.remedy),
        ] {
            if !text.is_empty() {
                write!(f, "\n    {label}: {text}")?;
            }
        }
        Ok(())
    }
}

/// All problems of one input; never empty when it is returned as an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What was looked at, e.g. `schema.json`.
    pub subject: String,
    /// The problems, in the order of the input.
    pub problems: Vec<Problem>,
}

impl Report {
    /// A report with no problems yet.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            problems: Vec::new(),
        }
    }

    /// A report of one problem.
    pub fn of(subject: impl Into<String>, problem: Problem) -> Self {
        Self {
            subject: subject.into(),
            problems: vec![problem],
        }
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// `value` when there is no problem, else the report.
    ///
    /// # Errors
    /// The report itself, when it holds a problem.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.problems.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.problems.len() == 1 { "" } else { "s" };
        write!(
            f,
            "{}: {} problem{plural}",
            self.subject,
            self.problems.len()
        )?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
