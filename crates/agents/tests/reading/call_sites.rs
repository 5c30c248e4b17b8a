//! Faults whose cause lies in a file that the change does not touch: what a reader is shown of that file, without and with what is found
//! beside the change.
//!
//! The reader here is a script: it finds a fault when the lines that show it are in its prompt, and never otherwise. So this says what is
//! shown, not what a model makes of it.

use crate::fixtures::{changed_file, count_tokens, finding, material, render_prompt};
use collie_agents::prompting::{
    ChangedFile, Material, PromptTarget, ReviewContext, review_prompt, validation_prompt,
};
use collie_core::code_context::TextHit;
use collie_rules::symbols::{
    ChangedSource, files_to_read, function_spans, related_code, touched_symbols,
};
use std::collections::BTreeSet;

/// A fault that a change plants, and where it shows.
struct PlantedFault {
    name: &'static str,
    /// The changed file: path, before, after.
    changed: (&'static str, &'static str, &'static str),
    /// Files that stay as they are.
    unchanged: &'static [(&'static str, &'static str)],
    /// The line of an unchanged file without which nobody can tell.
    cause: &'static str,
}

const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "rust: a callee returns an option now, and a caller elsewhere unwraps a number",
        changed: (
            "src/rates.rs",
            "pub fn rate_of(country: &str) -> u32 {\n    20\n}\n",
            "pub fn rate_of(country: &str) -> Option<u32> {\n    Some(20)\n}\n",
        ),
        unchanged: &[(
            "src/bill.rs",
            "use crate::rates::rate_of;\n\npub fn bill(amount: u32) -> u32 {\n    amount + amount * rate_of(\"FR\") / 100\n}\n",
        )],
        cause: "amount + amount * rate_of(\"FR\") / 100",
    },
    PlantedFault {
        name: "rust: a new call breaks what its callee, elsewhere, asks for",
        changed: (
            "src/web.rs",
            "pub fn show(text: &str) -> String {\n    text.to_string()\n}\n",
            "pub fn show(text: &str) -> String {\n    shorten(text, 0)\n}\n",
        ),
        unchanged: &[(
            "src/text.rs",
            "/// Cuts a text. `most` must not be zero.\npub fn shorten(text: &str, most: usize) -> String {\n    assert!(most > 0);\n    text.chars().take(most).collect()\n}\n",
        )],
        cause: "assert!(most > 0);",
    },
    PlantedFault {
        name: "rust: a variant is renamed, and matched by its old name elsewhere",
        changed: (
            "src/error.rs",
            "pub enum LoadError {\n    NotFound,\n    Denied,\n}\n",
            "pub enum LoadError {\n    Missing,\n    Denied,\n}\n",
        ),
        unchanged: &[(
            "src/api/status.rs",
            "pub fn status(error: &LoadError) -> u16 {\n    match error {\n        LoadError::NotFound => 404,\n        LoadError::Denied => 403,\n    }\n}\n",
        )],
        cause: "LoadError::NotFound => 404,",
    },
    PlantedFault {
        name: "rust: a field changes its unit, and is read elsewhere",
        changed: (
            "src/settings.rs",
            "pub struct Settings {\n    /// In seconds.\n    pub patience: u64,\n}\n",
            "pub struct Settings {\n    /// In milliseconds.\n    pub patience: u32,\n}\n",
        ),
        unchanged: &[(
            "src/client.rs",
            "pub fn wait(settings: &Settings) {\n    sleep(Duration::from_secs(settings.patience));\n}\n",
        )],
        cause: "Duration::from_secs(settings.patience)",
    },
    PlantedFault {
        name: "python: a function is removed, and called elsewhere",
        changed: (
            "shop/orders.py",
            "def total(order):\n    return 1\n\n\ndef legacy_total(order):\n    return total(order)\n",
            "def total(order):\n    return 1\n",
        ),
        unchanged: &[(
            "shop/reports/monthly.py",
            "from shop.orders import legacy_total\n\n\ndef monthly(orders):\n    return [legacy_total(order) for order in orders]\n",
        )],
        cause: "legacy_total(order) for order in orders",
    },
    PlantedFault {
        name: "python: another exception is raised, and the old one is caught elsewhere",
        changed: (
            "shop/store.py",
            "def load_order(number):\n    if number not in ORDERS:\n        raise KeyError(number)\n    return ORDERS[number]\n",
            "def load_order(number):\n    if number not in ORDERS:\n        raise OrderMissing(number)\n    return ORDERS[number]\n",
        ),
        unchanged: &[(
            "web/views.py",
            "def view(request):\n    try:\n        return load_order(request.number)\n    except KeyError:\n        return not_found()\n",
        )],
        cause: "except KeyError:",
    },
    PlantedFault {
        name: "python: a constant is renamed, and used elsewhere",
        changed: (
            "shop/limits.py",
            "MAX_LINES = 100\n",
            "MAX_ORDER_LINES = 100\n",
        ),
        unchanged: &[(
            "shop/check.py",
            "from shop import limits\n\n\ndef check(order):\n    return len(order.lines) <= limits.MAX_LINES\n",
        )],
        cause: "len(order.lines) <= limits.MAX_LINES",
    },
    PlantedFault {
        name: "python: arguments change places, and a caller elsewhere passes them by place",
        changed: (
            "shop/mail.py",
            "def send_mail(to, subject):\n    deliver(to, subject)\n",
            "def send_mail(subject, to):\n    deliver(to, subject)\n",
        ),
        unchanged: &[
            (
                "shop/notify.py",
                "def notify(user):\n    send_mail(user.address, \"Your order\")\n",
            ),
            (
                "tests/test_mail.py",
                "def test_mail():\n    send_mail(\"a\", \"b\")\n",
            ),
        ],
        cause: "send_mail(user.address, \"Your order\")",
    },
    PlantedFault {
        name: "typescript: a function is asynchronous now, and its result is used at once elsewhere",
        changed: (
            "src/session.ts",
            "export function currentUser(): User | null {\n  return cache.user;\n}\n",
            "export async function currentUser(): Promise<User | null> {\n  return await fetchUser();\n}\n",
        ),
        unchanged: &[(
            "src/guard.tsx",
            "export function Guard() {\n  if (!currentUser()) {\n    return <Login />;\n  }\n  return <Page />;\n}\n",
        )],
        cause: "if (!currentUser()) {",
    },
    PlantedFault {
        name: "typescript: a new caller forgets what the callee, elsewhere, does not check",
        changed: (
            "src/routes.ts",
            "export function remove(id: string) {\n  return null;\n}\n",
            "export function remove(id: string) {\n  return deleteEverything(id);\n}\n",
        ),
        unchanged: &[(
            "src/db/admin.ts",
            "// Callers check the user's rights before.\nexport function deleteEverything(id: string) {\n  return db.drop(id);\n}\n",
        )],
        cause: "// Callers check the user's rights before.",
    },
    PlantedFault {
        name: "javascript: a method is renamed, and called by its old name elsewhere",
        changed: (
            "lib/cart.js",
            "class Cart {\n  addLine(line) {\n    this.lines.push(line);\n  }\n}\n",
            "class Cart {\n  appendLine(line) {\n    this.lines.push(line);\n  }\n}\n",
        ),
        unchanged: &[(
            "lib/import.js",
            "function importAll(cart, rows) {\n  rows.forEach((row) => cart.addLine(row));\n}\n",
        )],
        cause: "rows.forEach((row) => cart.addLine(row));",
    },
    PlantedFault {
        name: "javascript: a default is another, and relied on elsewhere",
        changed: (
            "lib/format.js",
            "function formatPrice(value, currency = 'EUR') {\n  return value + currency;\n}\n",
            "function formatPrice(value, currency = 'USD') {\n  return value + currency;\n}\n",
        ),
        unchanged: &[(
            "lib/invoice.js",
            "function invoiceRow(line) {\n  // Invoices are in euros by law.\n  return formatPrice(line.price);\n}\n",
        )],
        cause: "// Invoices are in euros by law.",
    },
    PlantedFault {
        name: "go: a function returns an error too, and its caller elsewhere takes one value",
        changed: (
            "store/store.go",
            "package store\n\nfunc OpenStore(path string) *Store {\n\treturn &Store{}\n}\n",
            "package store\n\nfunc OpenStore(path string) (*Store, error) {\n\treturn &Store{}, nil\n}\n",
        ),
        unchanged: &[(
            "cmd/main.go",
            "package main\n\nfunc run() {\n\ts := store.OpenStore(\"data\")\n\ts.Close()\n}\n",
        )],
        cause: "s := store.OpenStore(\"data\")",
    },
    PlantedFault {
        name: "go: a method may return nil now, and its result is used elsewhere",
        changed: (
            "cache/cache.go",
            "package cache\n\nfunc (c *Cache) Lookup(key string) *Entry {\n\treturn c.fill(key)\n}\n",
            "package cache\n\nfunc (c *Cache) Lookup(key string) *Entry {\n\tif c.closed {\n\t\treturn nil\n\t}\n\treturn c.fill(key)\n}\n",
        ),
        unchanged: &[(
            "server/handler.go",
            "package server\n\nfunc handle(c *cache.Cache, w Writer) {\n\tw.Write(c.Lookup(\"a\").Bytes)\n}\n",
        )],
        cause: "w.Write(c.Lookup(\"a\").Bytes)",
    },
    PlantedFault {
        name: "go: a lock is taken twice, the second time in what is newly called",
        changed: (
            "pool/pool.go",
            "package pool\n\nfunc (p *Pool) Shrink() {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n}\n",
            "package pool\n\nfunc (p *Pool) Shrink() {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tp.dropIdle()\n}\n",
        ),
        unchanged: &[(
            "pool/idle.go",
            "package pool\n\nfunc (p *Pool) dropIdle() {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tp.idle = nil\n}\n",
        )],
        cause: "p.idle = nil",
    },
    // Found by name alone: what is reached in another way is not shown.
    PlantedFault {
        name: "python: a key of a dictionary is renamed, and read elsewhere by a string",
        changed: (
            "shop/payload.py",
            "def payload(order):\n    return {\"amount\": order.amount}\n",
            "def payload(order):\n    return {\"total\": order.amount}\n",
        ),
        unchanged: &[(
            "web/api.py",
            "def accept(data):\n    return data[\"amount\"]\n",
        )],
        cause: "return data[\"amount\"]",
    },
];

/// The material of a change, with what is found beside it when that is wanted.
fn material_of(fault: &PlantedFault, with_context: bool) -> Material {
    let (path, before, after) = fault.changed;
    let file = changed_file(path, Some(before), Some(after));
    let mut asked = material();
    asked.title = "A change".into();
    asked.description = String::new();
    asked.guidelines.clear();
    asked.documents.clear();
    asked.issues.clear();
    asked.threads.clear();
    asked.tree = std::iter::once(path)
        .chain(fault.unchanged.iter().map(|(path, _)| *path))
        .map(str::to_owned)
        .collect();
    if with_context {
        asked.context = context_of(&file, fault.unchanged);
    }
    asked.files = vec![file];
    asked
}

fn context_of(file: &ChangedFile, unchanged: &[(&str, &str)]) -> ReviewContext {
    let (added, removed) = (file.added_lines(), file.removed_lines());
    let source = ChangedSource {
        path: &file.path,
        before: file.content_at_base.as_deref(),
        after: file.content_at_head.as_deref(),
        added: &added,
        removed: &removed,
    };
    let touched = touched_symbols(&[source]);
    let words = touched.words();
    let hits: Vec<TextHit> = unchanged
        .iter()
        .flat_map(|(path, text)| {
            let lines = text.lines().zip(1..);
            let found =
                lines.filter(|(line, _)| words.iter().any(|word| line.contains(word.as_str())));
            found.map(|(line, number)| TextHit {
                path: (*path).to_owned(),
                line: number,
                text: line.to_owned(),
            })
        })
        .collect();
    let wanted = files_to_read(&touched, &hits, &BTreeSet::from([file.path.as_str()]));
    let read: Vec<(String, String)> = wanted
        .into_iter()
        .filter_map(|path| {
            let (_, text) = unchanged.iter().find(|(other, _)| *other == path)?;
            Some((path, (*text).to_owned()))
        })
        .collect();
    let spans = function_spans(
        &file.path,
        file.content_at_head.as_deref().unwrap_or_default(),
    );
    ReviewContext {
        functions: [(file.path.clone(), spans)].into(),
        related: related_code(&touched, &read),
        ..ReviewContext::default()
    }
}

/// The script: it finds what it is shown.
fn finds(fault: &PlantedFault, with_context: bool) -> bool {
    let asked = material_of(fault, with_context);
    let prompt = review_prompt(&asked, 60_000, &count_tokens, PromptTarget::Model);
    render_prompt(&prompt.expect("it fits")).contains(fault.cause)
}

/// The same of the second look at the fault: it can confirm what it is shown.
fn confirms(fault: &PlantedFault, with_context: bool) -> bool {
    let asked = material_of(fault, with_context);
    let found = finding("quinn", fault.changed.0, Some(1), fault.name, "");
    let how = PromptTarget::Model;
    let prompt = validation_prompt(&asked, &[&found], 60_000, &count_tokens, how);
    render_prompt(&prompt.expect("it fits")).contains(fault.cause)
}

#[test]
fn faults_whose_cause_is_elsewhere_are_shown_with_call_sites_and_definitions() {
    let found = |with_context: bool| -> Vec<&str> {
        let found = FAULTS.iter().filter(|fault| finds(fault, with_context));
        found.map(|fault| fault.name).collect()
    };
    let (before, after) = (found(false), found(true));
    println!(
        "{} planted faults: {} shown without what is beside the change, {} with it",
        FAULTS.len(),
        before.len(),
        after.len()
    );
    assert_eq!(before, Vec::<&str>::new());
    let missed: Vec<&str> = FAULTS
        .iter()
        .map(|fault| fault.name)
        .filter(|name| !after.contains(name))
        .collect();
    assert_eq!(
        missed,
        ["python: a key of a dictionary is renamed, and read elsewhere by a string"]
    );
    let confirmed = |with_context: bool| -> Vec<&str> {
        let confirmed = FAULTS.iter().filter(|fault| confirms(fault, with_context));
        confirmed.map(|fault| fault.name).collect()
    };
    assert_eq!(confirmed(false), Vec::<&str>::new());
    assert_eq!(confirmed(true), after, "a second look is shown as much");
}
