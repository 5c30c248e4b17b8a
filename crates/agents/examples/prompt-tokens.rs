//! Counts the tokens of first reviews and of second ones after a fix of ten lines, on real pull requests.
//!
//! ```console
//! $ cargo run -p collie-agents --example prompt-tokens -- [--each N] [--bare | --large] CLONE…
//! ```
//!
//! CLONE is the folder of a git repository, bare or not; N (2) is how many pull requests are taken of each. With `--bare` nothing is looked
//! for beside the change: no call sites, functions, commits, README. With `--large` pull requests of 4,000 to 40,000 changed lines are
//! taken, and what one prompt shows of them is put beside what several show. Issues, documents and the conversation are GitHub's and not
//! there; the persona is the first that ships, the budget the default one.

mod pull;

use collie_agents::llm::count_tokens;
use collie_agents::prompting::{
    Material, Prompt, PromptPart, PromptTarget, ReviewContext, group_changes, review_prompt,
    review_schema,
};
use pull::{Pull, context::context, fix::after_fix};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the app allows for a prompt unless told otherwise.
const BUDGET: u32 = 60_000;

fn main() -> ExitCode {
    match measure(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Lines that a pull request of unusual size changes.
const LARGE_CHANGED_LINES: std::ops::RangeInclusive<u32> = 4_000..=40_000;

/// What is asked for.
struct Options {
    each: usize,
    bare: bool,
    large: bool,
    clones: Vec<PathBuf>,
}

fn measure(args: impl Iterator<Item = String>) -> Result<(), String> {
    let options = parse_args(args)?;
    if options.large {
        return measure_large(&options);
    }
    let mut rows = Vec::new();
    println!(
        "| repository | commit | lines | first | second | ratio | without instructions | shared beginning | left out of the first |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for clone in &options.clones {
        let mut taken = 0;
        for commit in pull::commits(clone)? {
            if taken == options.each {
                break;
            }
            let Some(mut pull) = pull::one(clone, &commit, &pull::USUAL_CHANGED_LINES)? else {
                continue;
            };
            if let Some(mut fixed) = after_fix(&pull.material) {
                if !options.bare {
                    add_context(clone, &mut pull.material)?;
                    add_context(clone, &mut fixed)?;
                }
                let row = Row::of(&pull, &fixed)?;
                println!("{}", row.table_row(&pull));
                rows.push(row);
                taken += 1;
            }
        }
    }
    print_medians(&rows);
    Ok(())
}

fn add_context(clone: &Path, material: &mut Material) -> Result<(), String> {
    let files = material.delta.as_ref().unwrap_or(&material.files);
    material.context = context(clone, material, files)?;
    Ok(())
}

/// What one prompt shows of large pull requests, and what several do.
fn measure_large(options: &Options) -> Result<(), String> {
    println!(
        "| repository | commit | lines | changed lines, tokens | one prompt | shown | parts | all parts | shown | each begins with |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for clone in &options.clones {
        let mut taken = 0;
        for commit in pull::commits(clone)? {
            if taken == options.each {
                break;
            }
            let Some(mut pull) = pull::one(clone, &commit, &LARGE_CHANGED_LINES)? else {
                continue;
            };
            let one = prompt(&pull.material)?;
            if lacking_tokens(&one) == 0 {
                continue;
            }
            add_context(clone, &mut pull.material)?;
            println!("{}", large_row(&pull, &one)?);
            taken += 1;
        }
    }
    Ok(())
}

fn large_row(pull: &Pull, one: &Prompt) -> Result<String, String> {
    let material = &pull.material;
    let hunks = material.files.iter().flat_map(|file| &file.hunks);
    let hunks = hunks.flat_map(|hunk| hunk.split());
    let changed: u32 = hunks.map(|hunk| count_tokens(&hunk.render())).sum();
    let grouped = group_changes(material, BUDGET, &count_tokens, PromptTarget::Model);
    let mut lacking: u32 = grouped.left.values().sum();
    let (mut tokens, mut shared) = (0, 0);
    for part in &grouped.parts {
        let prompt = prompt(&material.for_part(part, &grouped.parts))?;
        lacking += lacking_tokens(&prompt);
        tokens += prompt.tokens;
        let parts = prompt.system.iter();
        let parts = parts.chain(&prompt.user[..prompt.shared_user_parts]);
        shared = parts.map(|text| count_tokens(text)).sum();
    }
    let share = |lacking: u32| 100.0 - f64::from(lacking.min(changed)) * 100.0 / f64::from(changed);
    Ok(format!(
        "| {} | {} | {} | {changed} | {} | {:.0} % | {} | {tokens} | {:.0} % | {shared} |",
        pull.repository,
        &pull.commit[..9],
        pull.changed,
        one.tokens,
        share(lacking_tokens(one)),
        grouped.parts.len(),
        share(lacking),
    ))
}

/// Tokens of changed lines that a prompt lacks.
fn lacking_tokens(prompt: &Prompt) -> u32 {
    let of_lines = prompt.omitted.iter();
    let of_lines = of_lines.filter(|left| matches!(left.part, PromptPart::Hunk { .. }));
    of_lines.map(|left| left.tokens).sum()
}

fn parse_args(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        each: 2,
        bare: false,
        large: false,
        clones: Vec::new(),
    };
    let mut args = args;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--each" => {
                let number = args.next().and_then(|number| number.parse().ok());
                options.each = number.ok_or("--each takes a number")?;
            }
            "--bare" => options.bare = true,
            "--large" => options.large = true,
            _ => options.clones.push(PathBuf::from(arg)),
        }
    }
    if options.clones.is_empty() {
        return Err("usage: prompt-tokens [--each N] [--bare | --large] CLONE…".into());
    }
    Ok(options)
}

/// One pull request's figures, in tokens.
struct Row {
    first: PromptFigures,
    second: PromptFigures,
    shared_tokens: u32,
    left_out: usize,
}

/// One prompt's.
struct PromptFigures {
    total_tokens: u32,
    /// What is the same for each pull request.
    instruction_tokens: u32,
    /// The others, by their headings.
    section_tokens: BTreeMap<String, u32>,
}

impl Row {
    fn of(pull: &Pull, fixed: &Material) -> Result<Self, String> {
        let (first, second) = (prompt(&pull.material)?, prompt(fixed)?);
        Ok(Self {
            shared_tokens: shared_prefix_tokens(&first, &second),
            left_out: first.omitted.len(),
            first: PromptFigures::of(&first, &pull.material)?,
            second: PromptFigures::of(&second, fixed)?,
        })
    }

    fn ratio(&self) -> f64 {
        f64::from(self.second.total_tokens) / f64::from(self.first.total_tokens)
    }

    /// What a service that keeps beginnings has to read anew.
    fn ratio_uncached(&self) -> f64 {
        f64::from(self.second.total_tokens.saturating_sub(self.shared_tokens))
            / f64::from(self.first.total_tokens)
    }

    fn ratio_without_instructions(&self) -> f64 {
        f64::from(self.second.other_tokens()) / f64::from(self.first.other_tokens())
    }

    fn table_row(&self, pull: &Pull) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {:.0} % | {:.0} % | {} | {} |",
            pull.repository,
            &pull.commit[..9],
            pull.changed,
            self.first.total_tokens,
            self.second.total_tokens,
            self.ratio() * 100.0,
            self.ratio_without_instructions() * 100.0,
            self.shared_tokens,
            self.left_out
        )
    }
}

impl PromptFigures {
    fn of(prompt: &Prompt, material: &Material) -> Result<Self, String> {
        let mut bare = material.clone();
        bare.description.clear();
        bare.guidelines.clear();
        bare.tree.clear();
        bare.files.clear();
        bare.context = ReviewContext::default();
        bare.delta = bare.delta.map(|_| Vec::new());
        // Nothing is left out of it, so its last part is the task alone.
        let bare = self::prompt(&bare)?;
        let ends = [bare.system.first(), bare.user.last()];
        let instructions = ends.into_iter().flatten().map(|text| count_tokens(text));
        let mut sections = BTreeMap::new();
        for text in prompt.system.iter().skip(1).chain(&prompt.user) {
            let heading = text.lines().next().unwrap_or_default().to_string();
            *sections.entry(heading).or_insert(0) += count_tokens(text);
        }
        Ok(Self {
            total_tokens: prompt.tokens,
            instruction_tokens: instructions.sum(),
            section_tokens: sections,
        })
    }

    fn other_tokens(&self) -> u32 {
        self.total_tokens.saturating_sub(self.instruction_tokens)
    }
}

fn prompt(material: &Material) -> Result<Prompt, String> {
    review_prompt(material, BUDGET, &count_tokens, PromptTarget::Model)
        .map_err(|error| error.to_string())
}

/// Tokens of the bytes that both begin with.
fn shared_prefix_tokens(one: &Prompt, other: &Prompt) -> u32 {
    let whole =
        |prompt: &Prompt| [prompt.system.join("\n\n"), prompt.user.join("\n\n")].join("\n\n");
    let (one, other) = (whole(one), whole(other));
    let same = one.chars().zip(other.chars());
    let same = same.take_while(|(a, b)| a == b).map(|(a, _)| a);
    count_tokens(&same.collect::<String>())
}

fn print_medians(rows: &[Row]) {
    let tokens = |of: &dyn Fn(&Row) -> u32| median(rows.iter().map(|row| f64::from(of(row))));
    println!(
        "\n{} pull requests. Medians: first {:.0} tokens, second {:.0}, ratio {:.1} %; without instructions {:.1} %, without the shared beginning {:.1} %; \
         shared beginning {:.0}; instructions {:.0} and {:.0}. The shape of the answer, sent beside the prompt: {}.",
        rows.len(),
        tokens(&|row| row.first.total_tokens),
        tokens(&|row| row.second.total_tokens),
        median(rows.iter().map(Row::ratio)) * 100.0,
        median(rows.iter().map(Row::ratio_without_instructions)) * 100.0,
        median(rows.iter().map(Row::ratio_uncached)) * 100.0,
        tokens(&|row| row.shared_tokens),
        tokens(&|row| row.first.instruction_tokens),
        tokens(&|row| row.second.instruction_tokens),
        count_tokens(&review_schema().to_string()),
    );
    for (name, of) in [
        ("first", (|row| &row.first) as fn(&Row) -> &PromptFigures),
        ("second", |row| &row.second),
    ] {
        println!("\nMeans of the {name} by section:");
        let mut sums: BTreeMap<&str, u32> = BTreeMap::new();
        for row in rows {
            for (heading, tokens) in &of(row).section_tokens {
                *sums.entry(heading).or_insert(0) += tokens;
            }
        }
        for (heading, sum) in sums {
            println!("{:>8.0}  {heading}", f64::from(sum) / rows.len() as f64);
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        None => 0.0,
        Some(high) if values.len() % 2 == 1 => *high,
        Some(high) => (values[middle - 1] + high) / 2.0,
    }
}
