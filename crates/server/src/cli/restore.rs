//! `vigie restore`

use std::process::ExitCode;

use app::system::SystemClock;
use backup::{DamagePolicy, Location, Manifests, RestoreOptions, Restored};
use clap::Args;
use domain::Clock;
use domain::ports::whole_second;
use tokio_util::sync::CancellationToken;

use super::backup_progress::ProgressPrinter;
use super::serve::stop_on_signal;
use super::{Common, output};

#[derive(Debug, Args)]
pub struct RestoreArgs {
    #[command(flatten)]
    common: Common,
    /// File, folder (its newest complete backup), s3://BUCKET/PREFIX (likewise), or s3://BUCKET/PREFIX/NAME.db
    source: String,
    /// Send no deliveries from the restored database until `vigie deliveries release`
    #[arg(long)]
    hold_deliveries: bool,
    /// Restore a backup whose records are damaged
    #[arg(long)]
    accept_damage: bool,
    /// Restore a file that has no manifest, so that its checksum is unknown
    #[arg(long)]
    without_manifest: bool,
}

pub async fn run(args: RestoreArgs) -> anyhow::Result<ExitCode> {
    let config = args.common.load()?;
    anyhow::ensure!(
        config.is_embedded(),
        "`vigie restore` restores the embedded database; restore PostgreSQL with its own means (docs/operations.md)"
    );
    let source = Location::parse(&args.source)?.open(&config.backup.s3)?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let printer = ProgressPrinter::new();
    let options = RestoreOptions {
        data: config.data.clone(),
        hold_deliveries: args.hold_deliveries.then(|| whole_second(SystemClock.now())),
        damage: if args.accept_damage { DamagePolicy::Accept } else { DamagePolicy::Refuse },
        manifests: if args.without_manifest { Manifests::Optional } else { Manifests::Required },
        report: printer.report(),
        stop,
    };
    let restored = backup::restore(&source, options).await;
    printer.finish();
    let Restored { source, manifest, log_position, records, findings, deliveries_held } = restored?;
    let mut text = String::new();
    for finding in &findings {
        text += &format!("damaged\t{}\t{}\t{}\n", finding.kind.name(), finding.id, finding.problem);
    }
    let date = manifest.map_or_else(String::new, |manifest| format!(" of {}", manifest.created_at));
    text += &format!(
        "Restored {source}{date} to {}: log position {log_position}, {records} records verified.\n",
        config.data.display()
    );
    text += if deliveries_held {
        "Deliveries are held: a server records matches, but sends nothing until `vigie deliveries release`.\n"
    } else {
        "Deliveries are not held: a server sends what is pending as soon as it starts, also what the original has sent since \
         the backup. `vigie deliveries hold` prevents that.\n"
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
