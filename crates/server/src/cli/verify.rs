//! `vigie verify`

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};
use app::App;
use clap::Args;
use serde_json::json;
use store::{Finding, RecordKind, Repair, VerifyCursor};

use super::{Common, output};
use crate::open;

#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    common: Common,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Repair what was found: replaces or removes what cannot be read. Make a backup first
    #[arg(long)]
    repair: bool,
    /// Repair without asking
    #[arg(long, requires = "repair")]
    yes: bool,
}

/// How often repairing and verifying again is tried: a repair may uncover something else, such as adverts of a removed property.
const REPAIR_ROUNDS: usize = 3;

pub async fn run(args: VerifyArgs) -> anyhow::Result<ExitCode> {
    let app = open::existing_app(&args.common.load()?)?;
    let mut verified = verify(&app).await?;
    let mut repairs = Vec::new();
    if args.repair && !verified.findings.is_empty() {
        if !args.yes {
            confirm(&verified)?;
        }
        for _ in 0..REPAIR_ROUNDS {
            let before = std::mem::take(&mut verified.findings);
            for finding in before {
                let done = app.repair(finding.clone()).await?;
                repairs.push((finding, done));
            }
            verified = verify(&app).await?;
            if verified.findings.is_empty() {
                break;
            }
        }
    }
    let printed = if args.json { as_json(&verified, &repairs) } else { as_text(&verified, &repairs) };
    output::print(&printed)?;
    Ok(if verified.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The result of a verification.
#[derive(Default)]
struct Verified {
    checked: BTreeMap<RecordKind, u64>,
    findings: Vec<Finding>,
}

async fn verify(app: &App) -> anyhow::Result<Verified> {
    let mut verified = Verified::default();
    let mut next = Some(VerifyCursor::default());
    while let Some(cursor) = next {
        let page = app.verify(cursor).await?;
        for (kind, count) in page.checked {
            *verified.checked.entry(kind).or_default() += count;
        }
        verified.findings.extend(page.findings);
        next = page.rest;
    }
    verified.findings.sort();
    verified.findings.dedup();
    Ok(verified)
}

/// Asks before anything is changed.
fn confirm(verified: &Verified) -> anyhow::Result<()> {
    output::eprint_line(&as_text(verified, &[]));
    if !io::stdin().is_terminal() {
        bail!("{} problem(s) found; repair them with --repair --yes", verified.findings.len());
    }
    output::eprint_line("Repair them? What cannot be read is replaced or removed. Type \"yes\":");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    if answer.trim() != "yes" {
        bail!("nothing was changed");
    }
    Ok(())
}

fn words_of(repair: &Repair) -> (&'static str, &'static str) {
    match repair {
        Repair::Repaired(done) => ("repaired", done),
        Repair::NotNeeded => ("not needed", "it is intact, or it is gone"),
        Repair::Manual(advice) => ("manual", advice),
    }
}

fn as_text(verified: &Verified, repairs: &[(Finding, Repair)]) -> String {
    let mut text = String::new();
    for (Finding { kind, id, .. }, repair) in repairs {
        let (state, words) = words_of(repair);
        text += &format!("{state}\t{}\t{id}\t{words}\n", kind.name());
    }
    for Finding { kind, id, problem } in &verified.findings {
        text += &format!("{}\t{id}\t{problem}\n", kind.name());
    }
    let checked: u64 = verified.checked.values().sum();
    let found = verified.findings.len();
    text + &match found {
        0 => format!("Checked {checked} records: everything is intact.\n"),
        1 => format!("Checked {checked} records: 1 problem.\n"),
        _ => format!("Checked {checked} records: {found} problems.\n"),
    }
}

fn as_json(verified: &Verified, repairs: &[(Finding, Repair)]) -> String {
    let finding =
        |Finding { kind, id, problem }: &Finding| json!({"kind": kind.name(), "id": id, "problem": problem});
    let repair = |(finding, repair): &(Finding, Repair)| {
        let (state, words) = words_of(repair);
        json!({"kind": finding.kind.name(), "id": finding.id, "problem": finding.problem, "state": state, "action": words})
    };
    let checked: BTreeMap<&str, u64> =
        verified.checked.iter().map(|(kind, count)| (kind.name(), *count)).collect();
    let document = json!({
        "checked": checked,
        "findings": verified.findings.iter().map(finding).collect::<Vec<_>>(),
        "repairs": repairs.iter().map(repair).collect::<Vec<_>>(),
    });
    format!("{document}\n")
}
