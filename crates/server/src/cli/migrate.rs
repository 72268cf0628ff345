//! `vigie migrate`: copies a store to another database.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use store::transfer::{
    StoreAddress, TransferOptions, TransferProgress, TransferStage, Transferred, transfer,
};
use tokio_util::sync::CancellationToken;

use super::output;
use super::serve::stop_on_signal;

/// How often a line is printed if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Data folder, or PostgreSQL database (postgres://user:password@host/database), that is copied; it is not changed
    #[arg(long, value_name = "FOLDER or ADDRESS", env = "VIGIE_MIGRATE_FROM", hide_env_values = true)]
    from: String,
    /// New data folder, or empty PostgreSQL database, that receives the copy
    #[arg(long, value_name = "FOLDER or ADDRESS", env = "VIGIE_MIGRATE_TO", hide_env_values = true)]
    to: String,
}

pub async fn run(args: MigrateArgs) -> anyhow::Result<ExitCode> {
    let (from, to) = (address(&args.from).context("--from")?, address(&args.to).context("--to")?);
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let started = Instant::now();
    let copying = tokio::task::spawn_blocking(move || {
        let mut printer = ProgressPrinter::new();
        let copied = transfer(&from, &to, &TransferOptions::default(), &mut |progress| {
            printer.print(progress);
            if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        printer.finish();
        copied
    });
    let copied = copying.await.context("the migration panicked")??;
    output::print(&summary(&copied, started.elapsed()))?;
    Ok(ExitCode::SUCCESS)
}

fn address(text: &str) -> anyhow::Result<StoreAddress> {
    if ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
        return Ok(StoreAddress::Postgres(Box::new(text.parse()?)));
    }
    anyhow::ensure!(!text.is_empty(), "is empty: name a folder or a postgres:// address");
    // The text is not repeated: an address of another kind may hold a password.
    anyhow::ensure!(!text.contains("://"), "is neither a folder nor a postgres:// address");
    Ok(StoreAddress::Folder(text.into()))
}

fn summary(Transferred { source, target, tables }: &Transferred, took: Duration) -> String {
    let rows: u64 = tables.iter().map(|(_, rows)| rows).sum();
    let mut text: String = tables.iter().map(|(table, rows)| format!("{table}\t{rows}\n")).collect();
    text += &format!(
        "Migrated {source} to {target} in {:.1} s: {rows} rows in {} tables, all compared.\n",
        took.as_secs_f64(),
        tables.len()
    );
    text
}

/// Prints how far it is: a bar on a terminal, otherwise a line now and then.
struct ProgressPrinter {
    bar: Option<ProgressBar>,
    printed_at: Instant,
}

impl ProgressPrinter {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{msg}: {percent}% of {len} rows, {eta} left");
            ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, printed_at: Instant::now() }
    }

    fn print(&mut self, progress: TransferProgress) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(format!("{} {}", verb(progress.stage), progress.table));
                bar.set_length(progress.rows_total);
                bar.set_position(progress.rows);
            }
            None if self.printed_at.elapsed() >= LINE_INTERVAL => {
                self.printed_at = Instant::now();
                output::eprint_line(&line(progress));
            }
            None => {}
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

const fn verb(stage: TransferStage) -> &'static str {
    match stage {
        TransferStage::Copy => "Copying",
        TransferStage::Verify => "Comparing",
    }
}

fn line(TransferProgress { stage, table, rows, rows_total }: TransferProgress) -> String {
    let percent = u128::from(rows) * 100 / u128::from(rows_total.max(1));
    format!("{} {table}: {rows} of {rows_total} rows of all tables ({percent}%)", verb(stage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_it_is() {
        let progress =
            |stage, rows, rows_total| line(TransferProgress { stage, table: "log", rows, rows_total });
        assert_eq!(progress(TransferStage::Copy, 5, 20), "Copying log: 5 of 20 rows of all tables (25%)");
        assert_eq!(progress(TransferStage::Verify, 0, 0), "Comparing log: 0 of 0 rows of all tables (0%)");
    }

    #[test]
    fn addresses_are_told_from_folders() {
        assert!(matches!(address("./vigie-data").unwrap(), StoreAddress::Folder(_)));
        assert!(matches!(address("postgresql://u:p@host/db").unwrap(), StoreAddress::Postgres(_)));
        for wrong in ["", "mysql://u:hush@host/db", "postgres://u:hush@host/db?sslmode=perhaps"] {
            let error = format!("{:#}", address(wrong).unwrap_err());
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
