//! Parses a crate to a tree of modules, following `mod` items from its root. Modules that only tests include are left
//! out.

use super::names::{ModuleNames, NameMeaning};
use super::test_only::test_only;
use super::use_tree::plain;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use syn::{Attribute, Expr, Item, ItemMod, Lit, Meta};

/// The path of a module from the root of the crate; empty for the root.
pub(crate) type ModulePath = Vec<String>;

/// A parsed crate.
#[derive(Default)]
pub(crate) struct ModuleTree {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) modules: BTreeMap<ModulePath, Module>,
}

/// One file of a crate.
pub(crate) struct SourceFile {
    /// The path that is shown in messages.
    pub(crate) shown: String,
    /// The module that the file defines.
    pub(crate) module: ModulePath,
    pub(crate) text: String,
    pub(crate) parsed: Rc<syn::File>,
}

/// One module: a file, or an inline module.
pub(crate) struct Module {
    /// The index of its file.
    pub(crate) file: usize,
    pub(crate) names: ModuleNames,
}

/// The folders in which the files of a module's children are searched.
struct ModuleFolder {
    module: ModulePath,
    /// The folder of the module's own file, to which `#[path]` is relative.
    beside: PathBuf,
    /// The folder of children without `#[path]`.
    below: PathBuf,
}

impl SourceFile {
    /// Returns true if the file is marked as `@generated`.
    pub(crate) fn is_generated(&self) -> bool {
        let is_mark = |line: &str| line.starts_with("//") && line.contains("@generated");
        self.text.lines().take(5).any(is_mark)
    }
}

impl ModuleTree {
    /// Reads the crate with the root file `file`; shown paths are relative to `root`.
    pub(crate) fn read(root: &Path, file: &Path) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        tree.add_file(root, file, vec![])?;
        Ok(tree)
    }

    /// Returns the modules that the root declares.
    pub(crate) fn top_modules(&self) -> Vec<&str> {
        let tops = self.modules.keys().filter(|path| path.len() == 1);
        tops.filter_map(|path| path.first()).map(String::as_str).collect()
    }

    /// Returns the shown path of a file.
    pub(crate) fn shown(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| file.shown.as_str())
    }

    fn add_file(&mut self, root: &Path, file: &Path, module: ModulePath) -> anyhow::Result<()> {
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| shown.clone())?;
        let parsed = syn::parse_file(&text)
            .map_err(|error| anyhow::anyhow!("{shown}:{}: {error}", error.span().start().line))?;
        let parsed = Rc::new(parsed);
        let number = self.files.len();
        self.files.push(SourceFile {
            shown,
            module: module.clone(),
            text,
            parsed: Rc::clone(&parsed),
        });
        let beside = file.parent().unwrap_or(root).to_owned();
        let is_folder = module.is_empty() || file.file_name().is_some_and(|name| name == "mod.rs");
        let below = if is_folder { beside.clone() } else { file.with_extension("") };
        self.add_module(root, number, &parsed.items, &ModuleFolder { module, beside, below })
    }

    fn add_module(
        &mut self,
        root: &Path,
        file: usize,
        items: &[Item],
        place: &ModuleFolder,
    ) -> anyhow::Result<()> {
        let names = ModuleNames::of(items);
        self.modules.insert(place.module.clone(), Module { file, names });
        for item in items {
            match item {
                Item::Mod(child) if !test_only(&child.attrs) => {
                    self.add_child(root, file, child, place)?;
                }
                Item::Macro(it) if is_exported(&it.attrs) => {
                    let name = it.ident.as_ref().map(plain).unwrap_or_default();
                    let path = [vec!["crate".to_owned()], place.module.clone(), vec![name.clone()]];
                    if let Some(top) = self.modules.get_mut(&vec![]).filter(|_| !name.is_empty()) {
                        top.names.add(name, NameMeaning::Alias(path.concat()));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_child(
        &mut self,
        root: &Path,
        file: usize,
        child: &ItemMod,
        place: &ModuleFolder,
    ) -> anyhow::Result<()> {
        let name = plain(&child.ident);
        let module = [place.module.clone(), vec![name.clone()]].concat();
        if let Some((_, items)) = &child.content {
            let below = place.below.join(&name);
            let inner = ModuleFolder { module, beside: below.clone(), below };
            return self.add_module(root, file, items, &inner);
        }
        let flat = place.below.join(format!("{name}.rs"));
        let nested = place.below.join(&name).join("mod.rs");
        let told = path_attribute(&child.attrs).map(|path| place.beside.join(path));
        let found = told.into_iter().chain([flat, nested]).find(|file| file.exists());
        match found {
            Some(file) => self.add_file(root, &file, module),
            None => bail!("module `{}` has no file", module.join("::")),
        }
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

fn is_exported(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("macro_export"))
}
