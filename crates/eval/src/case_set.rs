//! Reads and writes files of cases: one TOML file a set (docs/eval.md).

use crate::case::{Case, Change, Fault, LineRange};
use crate::set_error::{SetError, SetProblem};
use collie_core::finding::Priority;
use collie_core::ids::{RepoName, Sha};
use collie_core::text::safe_path;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use toml::Spanned;

/// Cases that are run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseSet {
    /// Its name.
    pub name: String,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// What tells this state of the set from another.
    pub hash: String,
}

/// The file, as it is written.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SetFile<C> {
    name: String,
    #[serde(default = "Vec::new", rename = "case")]
    cases: Vec<C>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct CaseTable<F> {
    id: String,
    repository: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    clean: bool,
    #[serde(
        default = "Vec::new",
        rename = "fault",
        skip_serializing_if = "Vec::is_empty"
    )]
    faults: Vec<F>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FaultTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<Vec<u32>>,
    what: String,
    kind: String,
    severity: Priority,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_by: Option<String>,
}

/// Reads a file of cases; `file` is what it is called in errors.
pub fn parse_set(file: &str, text: &str) -> Result<CaseSet, SetError> {
    let reader = SetReader { file, text };
    let read: SetFile<Spanned<CaseTable<Spanned<FaultTable>>>> =
        toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            let problem = SetProblem::Syntax(error.message().to_owned());
            reader.error(offset, String::new(), problem)
        })?;
    if read.cases.is_empty() {
        return Err(reader.error(0, "case".into(), SetProblem::Empty));
    }
    let mut names = BTreeSet::new();
    let mut cases = Vec::new();
    for table in read.cases {
        let offset = table.span().start;
        let case = reader.case(table)?;
        if !names.insert(case.id.clone()) {
            let at = reader.key_offset(offset, "id");
            let problem = SetProblem::Duplicate(case.id);
            return Err(reader.error(at, "case.id".into(), problem));
        }
        cases.push(case);
    }
    Ok(CaseSet {
        name: read.name,
        cases,
        hash: hex::encode(Sha256::digest(text.as_bytes()))[..16].to_owned(),
    })
}

/// Writes a file of cases.
pub fn write_set(name: &str, cases: &[Case]) -> String {
    let file = SetFile {
        name: name.to_owned(),
        cases: cases.iter().map(case_table).collect(),
    };
    toml::to_string(&file).expect("cases are tables of texts, numbers and lists")
}

/// Knows where in the file something stands.
struct SetReader<'a> {
    file: &'a str,
    text: &'a str,
}

impl SetReader<'_> {
    fn error(&self, offset: usize, key: String, problem: SetProblem) -> SetError {
        let before = self.text.get(..offset).unwrap_or(self.text);
        SetError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() as u64 + 1,
            key,
            problem,
        }
    }

    /// The offset of a key in the table that begins at `offset`; else the table's own.
    fn key_offset(&self, offset: usize, key: &str) -> usize {
        let mut at = offset;
        for (index, line) in self.text[offset..].split_inclusive('\n').enumerate() {
            let trimmed = line.trim_start();
            if index > 0 && trimmed.starts_with('[') {
                break;
            }
            let rest = trimmed.strip_prefix(key).map(str::trim_start);
            if rest.is_some_and(|rest| rest.starts_with('=')) {
                return at;
            }
            at += line.len();
        }
        offset
    }

    fn case(&self, table: Spanned<CaseTable<Spanned<FaultTable>>>) -> Result<Case, SetError> {
        let offset = table.span().start;
        let table = table.into_inner();
        let wrong = |key: &str, problem| {
            self.error(self.key_offset(offset, key), format!("case.{key}"), problem)
        };
        let id = plain_id(&table.id).map_err(|problem| wrong("id", problem))?;
        let repository = RepoName::parse(&table.repository).map_err(|_| {
            wrong(
                "repository",
                SetProblem::BadRepository(table.repository.clone()),
            )
        })?;
        let sha = |key: &str, text: &str| {
            Sha::parse(text).map_err(|_| wrong(key, SetProblem::BadSha(text.to_owned())))
        };
        let path = |key: &str, text: &str| {
            safe_path(text).map_err(|_| wrong(key, SetProblem::BadPath(text.to_owned())))
        };
        let change = match (&table.base, &table.head, table.pull, &table.folder) {
            (Some(base), Some(head), None, None) => Change::Commits {
                base: sha("base", base)?,
                head: sha("head", head)?,
            },
            (None, None, Some(pull), None) => Change::Pull(pull),
            (None, None, None, Some(folder)) => Change::Folder {
                folder: path("folder", folder)?,
                removed: table
                    .removed
                    .iter()
                    .map(|file| path("removed", file))
                    .collect::<Result<_, _>>()?,
            },
            _ => return Err(wrong("base", SetProblem::NoChange)),
        };
        if table.clean != table.faults.is_empty() {
            return Err(wrong("clean", SetProblem::CleanOrFaulty));
        }
        let faults = self.faults(table.faults)?;
        Ok(Case {
            id,
            repository,
            change,
            title: table.title,
            description: table.description,
            language: table.language,
            faults,
        })
    }

    fn faults(&self, tables: Vec<Spanned<FaultTable>>) -> Result<Vec<Fault>, SetError> {
        let mut faults: Vec<Fault> = Vec::new();
        for (index, fault) in tables.into_iter().enumerate() {
            let fault_offset = fault.span().start;
            let fault = self.fault(fault, index)?;
            if faults.iter().any(|other| other.id == fault.id) {
                let at = self.key_offset(fault_offset, "id");
                let problem = SetProblem::Duplicate(fault.id);
                return Err(self.error(at, "case.fault.id".into(), problem));
            }
            faults.push(fault);
        }
        Ok(faults)
    }

    fn fault(&self, table: Spanned<FaultTable>, index: usize) -> Result<Fault, SetError> {
        let offset = table.span().start;
        let table = table.into_inner();
        let wrong = |key: &str, problem| {
            let at = self.key_offset(offset, key);
            self.error(at, format!("case.fault.{key}"), problem)
        };
        let range = |key: &str, lines: Option<&Vec<u32>>| match lines.map(Vec::as_slice) {
            None => Ok(None),
            Some([from, to]) if from <= to && *from > 0 => Ok(LineRange::new(*from, *to)),
            Some(_) => Err(wrong(key, SetProblem::BadLines)),
        };
        let id = match &table.id {
            Some(id) => plain_id(id).map_err(|problem| wrong("id", problem))?,
            None => (index + 1).to_string(),
        };
        let file = table.file.as_deref().map(|file| {
            safe_path(file).map_err(|_| wrong("file", SetProblem::BadPath(file.to_owned())))
        });
        let file = file.transpose()?;
        let (lines, within) = (
            range("lines", table.lines.as_ref())?,
            range("within", table.within.as_ref())?,
        );
        if file.is_none() && (lines.is_some() || within.is_some()) {
            return Err(wrong("lines", SetProblem::LinesWithoutFile));
        }
        for (key, text) in [("what", &table.what), ("kind", &table.kind)] {
            if text.trim().is_empty() {
                return Err(wrong(key, SetProblem::EmptyText));
            }
        }
        let fixed_by = table.fixed_by.as_deref().map(|text| {
            Sha::parse(text).map_err(|_| wrong("fixed_by", SetProblem::BadSha(text.to_owned())))
        });
        Ok(Fault {
            id,
            file,
            lines,
            within,
            what: table.what,
            kind: table.kind,
            severity: table.severity,
            fixed_by: fixed_by.transpose()?,
        })
    }
}

/// A name that can be part of a path and of an address.
fn plain_id(text: &str) -> Result<String, SetProblem> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !text.is_empty() && text.len() <= 100 && !text.starts_with('.') && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err(SetProblem::BadId(text.chars().take(120).collect()))
    }
}

fn case_table(case: &Case) -> CaseTable<FaultTable> {
    let (base, head, pull, folder, removed) = match &case.change {
        Change::Commits { base, head } => {
            let commits = (Some(base.to_string()), Some(head.to_string()));
            (commits.0, commits.1, None, None, Vec::new())
        }
        Change::Pull(pull) => (None, None, Some(*pull), None, Vec::new()),
        Change::Folder { folder, removed } => {
            (None, None, None, Some(folder.clone()), removed.clone())
        }
    };
    let lines = |range: Option<LineRange>| range.map(|range| vec![range.from, range.to]);
    CaseTable {
        id: case.id.clone(),
        repository: case.repository.to_string(),
        base,
        head,
        pull,
        folder,
        removed,
        title: case.title.clone(),
        description: case.description.clone(),
        language: case.language.clone(),
        clean: case.is_clean(),
        faults: case
            .faults
            .iter()
            .map(|fault| FaultTable {
                id: Some(fault.id.clone()),
                file: fault.file.clone(),
                lines: lines(fault.lines),
                within: lines(fault.within),
                what: fault.what.clone(),
                kind: fault.kind.clone(),
                severity: fault.severity,
                fixed_by: fault.fixed_by.as_ref().map(ToString::to_string),
            })
            .collect(),
    }
}
