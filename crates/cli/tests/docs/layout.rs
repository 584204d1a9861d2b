//! The folders of a crate, and which of them may import from which.
//!
//! The `mod.rs` of every folder in `src` says what the folder is for, and has a line `//! Uses: a, b.` with the folders it
//! imports from, or `//! Uses: nothing.`. Its submodules are private, so that others can use only what `mod.rs` exports. The
//! lines of a crate have no cycle. Files in the root of a crate may be imported from everywhere, but a folder does not reach
//! itself through them either. Tests may import anything.

mod source;
#[cfg(test)]
mod tests;

use self::source::{Module, Path, Source, Visibility};
use crate::tree::{files, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
};

/// The crates that are laid out in this way.
const CRATES: [&str; 3] = ["cli", "components", "runtime"];

/// What breaks the rule, where, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
struct Violation {
    place: String,
    problem: String,
    remedy: String,
}

impl Violation {
    fn new(place: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.problem, self.remedy)
    }
}

/// The sources of a crate.
struct Crate {
    /// The text of each file, by its path in `src`.
    files: BTreeMap<String, String>,
}

impl Crate {
    fn load(name: &str) -> Self {
        let src = root().join("crates").join(name).join("src");
        let file = |path: std::path::PathBuf| {
            let relative = path.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
            (relative, fs::read_to_string(&path).unwrap())
        };
        Self { files: files(&src, ".rs").into_iter().map(file).collect() }
    }

    /// Everything about the crate that breaks the rule.
    fn violations(&self) -> Vec<Violation> {
        let read = |(path, text): (&'_ String, &String)| (path.clone(), Source::read(text, &module(path)));
        let mut sources: Sources = self.files.iter().map(read).collect();
        let tests = test_files(&sources);
        sources.retain(|path, _| !tests.iter().any(|test| is_within(path, test)));
        let folders: Folders<'_> = sources.keys().filter_map(|path| folder(path)).collect();

        let (uses, mut violations) = self.declarations(&folders);
        violations.extend(folders.iter().flat_map(|folder| public_modules(folder, &sources)));
        let imports = imports(&sources, &folders);
        violations.extend(imports.iter().filter_map(|import| import.against(&uses)));
        violations.extend(superfluous(&uses, &imports));
        let found = cycle(&uses).map(|way| ("the lines `Uses`", way, "a folder below the others"));
        let found = found.or_else(|| {
            let through_root = cycle(&with_root_files(&uses, &sources, &folders))?;
            Some(("imports of files in the root", through_root, "a file that imports from no folder"))
        });
        violations.extend(found.map(|(what, way, below)| {
            let problem = format!("{what} form a cycle: {}", way.join(" -> "));
            Violation::new("src", problem, format!("move what one of them needs into {below}"))
        }));
        violations
    }

    /// What the folders say they use, and what is wrong with how they say it.
    fn declarations<'f>(&self, folders: &Folders<'f>) -> (Uses<'f>, Vec<Violation>) {
        let (mut uses, mut violations) = (Uses::new(), Vec::new());
        for folder in folders {
            let file = format!("{folder}/mod.rs");
            match self.files.get(&file).ok_or_else(no_mod_file).and_then(|text| declared(text, folders)) {
                Ok(named) => drop(uses.insert(folder, named)),
                Err((problem, remedy)) => violations.push(Violation::new(file, problem, remedy)),
            }
        }
        (uses, violations)
    }
}

/// What the files of a crate say, by their paths in `src`.
type Sources = BTreeMap<String, Source>;

/// The folders in `src`.
type Folders<'f> = BTreeSet<&'f str>;

/// The folders that each folder says it uses.
type Uses<'f> = BTreeMap<&'f str, BTreeSet<&'f str>>;

/// The path of the module that a file holds.
fn module(path: &str) -> Vec<&str> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if matches!(stem, "lib" | "main") { Vec::new() } else { stem.split('/').collect() }
}

fn folder(path: &str) -> Option<&str> {
    path.split_once('/').map(|(folder, _)| folder)
}

/// The files and directories of test modules, without the ending `.rs`.
fn test_files(sources: &Sources) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, source) in sources {
        let mut parent = module(path);
        for test in source.modules.iter().filter(|it| it.visibility == Visibility::Test) {
            parent.push(&test.name);
            found.insert(parent.join("/"));
            parent.pop();
        }
    }
    found
}

fn is_within(path: &str, test: &str) -> bool {
    path.strip_prefix(test).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn no_mod_file() -> (String, String) {
    let remedy = "add it, with what the folder is for and a line `//! Uses: …`";
    ("does not exist".to_owned(), remedy.to_owned())
}

/// The folders that the documentation of a `mod.rs` names.
fn declared<'f>(text: &str, folders: &Folders<'f>) -> Result<Folders<'f>, (String, String)> {
    let fault = |problem: &str, remedy: &str| Err((problem.to_owned(), remedy.to_owned()));
    let lines: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let (uses, purpose): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| line.starts_with("Uses:"));
    if purpose.iter().all(|line| line.is_empty()) {
        return fault("does not say what the folder is for", "begin with a sentence that does");
    }
    let [line] = uses[..] else {
        return fault(
            "has no line `//! Uses: …`, or several",
            "write one, with the folders it imports from, or `nothing`",
        );
    };
    let Some(list) = line.strip_prefix("Uses: ").and_then(|list| list.strip_suffix('.')) else {
        return fault("has a line `Uses` in another form", "write it as `//! Uses: a, b.`");
    };
    if list == "nothing" {
        return Ok(BTreeSet::new());
    }
    let mut named = BTreeSet::new();
    for name in list.split(", ") {
        match folders.get(name) {
            Some(folder) => named.insert(*folder),
            None => {
                return fault(&format!("the line `Uses` names `{name}`, which is no folder"), "correct it");
            }
        };
    }
    Ok(named)
}

fn public_modules(folder: &str, sources: &Sources) -> Vec<Violation> {
    let file = format!("{folder}/mod.rs");
    let modules = sources.get(&file).map(|source| &source.modules[..]).unwrap_or_default();
    let public = modules.iter().filter(|module| module.visibility == Visibility::Public);
    let violation = |module: &Module| {
        let Module { name, .. } = module;
        let remedy = format!("write `mod {name};` and re-export what others use of it");
        Violation::new(&file, format!("the module `{name}` is public"), remedy)
    };
    public.map(violation).collect()
}

/// A path in a file of one folder that leads into another.
struct Import<'s> {
    place: String,
    from: &'s str,
    target: Target<'s>,
    path: &'s [String],
}

#[derive(PartialEq, Eq)]
enum Target<'s> {
    Folder(&'s str),
    /// `crate::*`
    Everything,
}

fn imports<'s>(sources: &'s Sources, folders: &Folders<'s>) -> Vec<Import<'s>> {
    let exported = exported(sources, folders);
    let mut imports = Vec::new();
    for (file, source) in sources {
        let Some(from) = folder(file) else { continue };
        for Path { line, segments, .. } in &source.paths {
            let first = segments.first().map_or("", String::as_str);
            let target = match folders.get(first).or_else(|| exported.get(first)) {
                Some(folder) if *folder != from => Target::Folder(folder),
                None if first == "*" => Target::Everything,
                Some(_) | None => continue,
            };
            imports.push(Import { place: format!("{file}:{line}"), from, target, path: segments });
        }
    }
    imports
}

/// Names in the root of the crate that belong to one of these modules.
fn exported<'s>(sources: &'s Sources, modules: &Folders<'s>) -> BTreeMap<&'s str, &'s str> {
    let roots = ["lib.rs", "main.rs"].into_iter().filter_map(|file| sources.get(file));
    let export = |path: &'s Path| {
        let [first, .., last] = &path.segments[..] else { return None };
        Some((path.alias.as_ref().unwrap_or(last).as_str(), *modules.get(first.as_str())?))
    };
    roots.flat_map(|source| &source.paths).filter_map(export).collect()
}

/// What the folders say they use, and what they and the files in the root import through files in the root.
fn with_root_files<'s>(uses: &Uses<'s>, sources: &'s Sources, folders: &Folders<'s>) -> Uses<'s> {
    let stems = sources.keys().filter_map(|file| file.strip_suffix(".rs"));
    let files: Folders<'s> = stems.filter(|it| !it.contains('/') && !matches!(*it, "lib" | "main")).collect();
    let modules = folders | &files;
    let exported = exported(sources, &modules);
    let mut all = uses.clone();
    for (file, source) in sources {
        let from = file.split('/').next().unwrap_or_default();
        let Some(&from) = modules.get(from.strip_suffix(".rs").unwrap_or(from)) else { continue };
        let first = source.paths.iter().filter_map(|path| path.segments.first());
        let targets = first.filter_map(|it| modules.get(it.as_str()).or_else(|| exported.get(it.as_str())));
        let is_new = |target: &&&str| **target != from && (files.contains(**target) || files.contains(from));
        all.entry(from).or_default().extend(targets.filter(is_new));
    }
    all
}

impl Import<'_> {
    /// The violation, unless its folder says that it uses the other. A folder without the line is a violation of its own.
    fn against(&self, uses: &Uses<'_>) -> Option<Violation> {
        let named = uses.get(self.from)?;
        let Target::Folder(target) = self.target else {
            let problem = "imports everything in the root of the crate";
            return Some(Violation::new(&self.place, problem, "name what it needs"));
        };
        let problem = || format!("imports `crate::{}`", self.path.join("::"));
        let violation = || Violation::new(&self.place, problem(), remedy(self.from, target, uses));
        (!named.contains(target)).then(violation)
    }
}

fn superfluous<'f>(uses: &Uses<'f>, imports: &[Import<'f>]) -> Vec<Violation> {
    let imported = |from: &str, target: &'f str| {
        imports.iter().any(|import| import.from == from && import.target == Target::Folder(target))
    };
    let all = uses.iter().flat_map(|(folder, named)| named.iter().map(move |target| (folder, target)));
    let superfluous = all.filter(|(folder, target)| !imported(folder, target));
    let violation = |(folder, target)| {
        let problem = format!("the line `Uses` names `{target}`, which nothing in the folder imports");
        Violation::new(format!("{folder}/mod.rs"), problem, "remove it from the line")
    };
    superfluous.map(violation).collect()
}

fn remedy(own: &str, target: &str, uses: &Uses<'_>) -> String {
    if reaches(target, own, uses, &mut BTreeSet::new()) {
        format!("`{target}` uses `{own}`: move what `{own}` needs into a folder that both may use")
    } else {
        format!("add `{target}` to the line `Uses` of {own}/mod.rs, or do without")
    }
}

fn reaches<'f>(from: &'f str, to: &str, uses: &Uses<'f>, seen: &mut BTreeSet<&'f str>) -> bool {
    let named = uses.get(from).into_iter().flatten();
    from == to || seen.insert(from) && named.into_iter().any(|next| reaches(next, to, uses, seen))
}

/// One way around, if there is any.
fn cycle<'f>(uses: &Uses<'f>) -> Option<Vec<&'f str>> {
    fn follow<'f>(
        folder: &'f str,
        uses: &Uses<'f>,
        way: &mut Vec<&'f str>,
        done: &mut BTreeSet<&'f str>,
    ) -> bool {
        if let Some(start) = way.iter().position(|it| *it == folder) {
            way.drain(..start);
            way.push(folder);
            return true;
        }
        if done.contains(folder) {
            return false;
        }
        way.push(folder);
        if uses.get(folder).into_iter().flatten().any(|next| follow(next, uses, way, done)) {
            return true;
        }
        way.pop();
        done.insert(folder);
        false
    }
    let (mut way, mut done) = (Vec::new(), BTreeSet::new());
    uses.keys().any(|folder| follow(folder, uses, &mut way, &mut done)).then_some(way)
}

#[test]
fn every_folder_imports_only_from_the_folders_it_names() {
    let found = CRATES.iter().flat_map(|name| {
        let violations = Crate::load(name).violations();
        violations.into_iter().map(move |violation| format!("crates/{name}/src/{violation}"))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}
