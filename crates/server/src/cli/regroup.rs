//! `vigie regroup`

use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};
use app::grouping::{RegroupChange, RegroupOptions, RegroupProgress, RegroupReport};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Common, output};
use crate::open;

#[derive(Debug, Args)]
pub struct RegroupArgs {
    #[command(flatten)]
    common: Common,
    /// Show what would change, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Number of changes to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    examples: usize,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

pub async fn run(args: RegroupArgs) -> anyhow::Result<ExitCode> {
    let RegroupArgs { common, dry_run, examples, yes } = args;
    let app = open::existing_app(&common.load()?)?;
    if !dry_run && !yes && !confirmed()? {
        output::eprint_line("Nothing changed.");
        return Ok(ExitCode::SUCCESS);
    }
    let bar = progress_bar();
    let mut show = |progress: RegroupProgress| match progress {
        RegroupProgress::Loading => bar.set_message("loading the adverts"),
        RegroupProgress::Judged { adverts, of } => advance(&bar, adverts, of, "adverts judged"),
        RegroupProgress::Saved { changes, of } => advance(&bar, changes, of, "changes stored"),
    };
    let options = RegroupOptions { dry_run, examples };
    let regrouped = app.regroup(options, &mut show).await;
    bar.finish_and_clear();
    let report = regrouped.context("regrouping stopped; what was stored is kept, run the command again")?;
    output::print(&report_text(&report, options))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks on the terminal. Without one, the command needs `--yes`: a script must not change the stock by accident.
fn confirmed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!(
            "this judges all adverts again and moves some to other properties: confirm with --yes, or try --dry-run"
        );
    }
    output::eprint_line("Judge all adverts again and move some to other properties? [y/N]");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({eta} left)") {
        bar.set_style(style);
    }
    bar
}

fn advance(bar: &ProgressBar, done: usize, of: usize, what: &'static str) {
    bar.set_length(of as u64);
    bar.set_position(done as u64);
    bar.set_message(what);
}

/// Formats what changed, or would change: a summary, then examples.
fn report_text(report: &RegroupReport, options: RegroupOptions) -> String {
    let RegroupReport { adverts, properties_before, properties_after, moved, skipped, examples } = report;
    let (start, turned, moves) = match options.dry_run {
        true => ("Dry run, nothing stored: judged", "would become", "would move"),
        false => ("Judged", "became", "moved"),
    };
    let mut text = format!(
        "{start} {adverts} adverts. {properties_before} properties {turned} {properties_after}; \
         {moved} adverts {moves} to another property.\n"
    );
    if *skipped > 0 {
        text += &format!(
            "{skipped} changes were not stored, because their properties changed in the meantime: run the command again.\n"
        );
    }
    for RegroupChange { from, to, adverts, is_merge } in examples {
        let kind = if *is_merge { "merge" } else { "move" };
        let ids: Vec<String> = adverts.iter().map(ToString::to_string).collect();
        text += &format!("{kind}\t{from}\t{to}\t{}\n", ids.join(","));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AdvertId, PropertyId};

    fn report() -> RegroupReport {
        RegroupReport {
            adverts: 30,
            properties_before: 20,
            properties_after: 18,
            moved: 3,
            skipped: 0,
            examples: vec![RegroupChange {
                from: PropertyId::from_bytes([1; 16]),
                to: PropertyId::from_bytes([2; 16]),
                adverts: vec![AdvertId::from_bytes([3; 16]), AdvertId::from_bytes([4; 16])],
                is_merge: true,
            }],
        }
    }

    #[test]
    fn dry_run_says_what_would_change() {
        assert_eq!(
            report_text(&report(), RegroupOptions { dry_run: true, examples: 1 }),
            "Dry run, nothing stored: judged 30 adverts. 20 properties would become 18; 3 adverts would move to another property.\n\
             merge\t01010101-0101-0101-0101-010101010101\t02020202-0202-0202-0202-020202020202\t\
             03030303-0303-0303-0303-030303030303,04040404-0404-0404-0404-040404040404\n"
        );
    }

    #[test]
    fn skipped_changes_are_reported() {
        let report = RegroupReport { skipped: 2, examples: Vec::new(), ..report() };
        assert_eq!(
            report_text(&report, RegroupOptions { dry_run: false, examples: 0 }),
            "Judged 30 adverts. 20 properties became 18; 3 adverts moved to another property.\n\
             2 changes were not stored, because their properties changed in the meantime: run the command again.\n"
        );
    }
}
