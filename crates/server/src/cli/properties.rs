//! `vigie properties`

use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use app::App;
use app::grouping::{
    AdvertComparison, CorrectionRefusal, DecidedBy, GroupedAdvert, GroupedBy, GroupingExplanation,
    LineageRow, MergeOutcome, SplitOutcome,
};
use clap::{Args, Subcommand};
use domain::grouping::Evidence;
use domain::{Advert, AdvertId, Property, PropertyId, ShortText, SiteKey};
use jiff::tz::TimeZone;
use wire::grouping::{rounded, spaced, summary};
use wire::{date, iri};

use super::{Common, output};
use crate::http::grouping::{comparison_input, seen_from};
use crate::open;

/// What the history names for a correction by command, where a request has the name of its user.
const DECIDED_BY: &str = "command line";

#[derive(Debug, Args)]
pub struct PropertiesArgs {
    #[command(subcommand)]
    command: PropertiesCommand,
}

#[derive(Debug, Subcommand)]
enum PropertiesCommand {
    /// Merge properties into the first one. Automatic grouping does not separate them again.
    Merge {
        #[command(flatten)]
        common: Common,
        /// Id or path of the property that remains
        property: String,
        /// Ids or paths of the properties to merge into it
        #[arg(required = true)]
        others: Vec<String>,
    },
    /// Move adverts of a property to a new one. Automatic grouping does not bring them together again.
    Split {
        #[command(flatten)]
        common: Common,
        /// Id or path of the property
        property: String,
        /// Ids or paths of the adverts to move
        #[arg(required = true)]
        adverts: Vec<String>,
    },
    /// Show why the adverts of a property are one: what put each there, the evidence, and the history.
    Show {
        #[command(flatten)]
        common: Common,
        /// Id or path of the property
        property: String,
    },
    /// Show why two adverts are one property, or why not.
    Compare {
        #[command(flatten)]
        common: Common,
        /// Id or path of an advert
        advert: String,
        /// Id or path of the other advert
        other: String,
    },
}

pub async fn run(args: PropertiesArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        PropertiesCommand::Merge { common, property, others } => merge(&common, &property, &others).await,
        PropertiesCommand::Split { common, property, adverts } => split(&common, &property, &adverts).await,
        PropertiesCommand::Show { common, property } => show(&common, &property).await,
        PropertiesCommand::Compare { common, advert, other } => compare(&common, [&advert, &other]).await,
    }
}

async fn merge(common: &Common, property: &str, others: &[String]) -> anyhow::Result<ExitCode> {
    let mut properties = vec![property_id(property)?];
    for text in others {
        add_unique(&mut properties, property_id(text)?);
    }
    let app = open::existing_app(&common.load()?)?;
    let merged = app.merge_properties(&properties, DECIDED_BY).await?;
    let MergeOutcome { property, merged } = match merged {
        Ok(outcome) => outcome,
        Err(refusal) => return Err(refused(&app, refusal).await?.context("cannot merge the properties")),
    };
    let merged: Vec<String> = merged.iter().map(ToString::to_string).collect();
    output::eprint_line(&format!("Merged {} into property {property}.", merged.join(", ")));
    Ok(ExitCode::SUCCESS)
}

async fn split(common: &Common, property: &str, adverts: &[String]) -> anyhow::Result<ExitCode> {
    let property = property_id(property)?;
    let mut ids = Vec::new();
    for text in adverts {
        add_unique(&mut ids, advert_id(text)?);
    }
    let app = open::existing_app(&common.load()?)?;
    let split = app.split_property(property, &ids, DECIDED_BY).await?;
    let SplitOutcome { property, created } = match split {
        Ok(outcome) => outcome,
        Err(refusal) => return Err(refused(&app, refusal).await?.context("cannot split the property")),
    };
    output::eprint_line(&format!("Moved {} advert(s) of property {property} to a new property:", ids.len()));
    output::print(&format!("{created}\n"))?;
    Ok(ExitCode::SUCCESS)
}

async fn show(common: &Common, property: &str) -> anyhow::Result<ExitCode> {
    let id = property_id(property)?;
    let config = common.load()?;
    let app = open::existing_app(&config)?;
    let property = find_property(&app, id).await?;
    let explanation = app.explain_grouping(property.id).await?;
    let explanation = explanation.with_context(|| unknown(id))?;
    output::print(&explanation_text(&explanation, &property, &config.time_zone))?;
    Ok(ExitCode::SUCCESS)
}

async fn compare(common: &Common, adverts: [&str; 2]) -> anyhow::Result<ExitCode> {
    let ids = [advert_id(adverts[0])?, advert_id(adverts[1])?];
    if ids[0] == ids[1] {
        bail!("give two different adverts to compare them");
    }
    let app = open::existing_app(&common.load()?)?;
    let find = async |id: AdvertId| -> anyhow::Result<Advert> {
        Ok(app.advert(id).await?.with_context(|| format!("advert {id} does not exist"))?.0)
    };
    let adverts = [find(ids[0]).await?, find(ids[1]).await?];
    let comparison = app.compare_adverts(ids).await?;
    let comparison = comparison.context("one of the adverts was erased in the meantime")?;
    output::print(&comparison_text(&comparison, &adverts))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a property, or the one that it was merged into.
async fn find_property(app: &App, id: PropertyId) -> anyhow::Result<Property> {
    if let Some(property) = app.property(id).await? {
        return Ok(property);
    }
    let survivor = app.surviving_property(id).await?.with_context(|| unknown(id))?;
    output::eprint_line(&format!("Property {id} was merged into {survivor}."));
    app.property(survivor).await?.with_context(|| unknown(survivor))
}

/// Returns the error of a refused correction. It names the property that an unknown one was merged into.
async fn refused(app: &App, refusal: CorrectionRefusal) -> anyhow::Result<anyhow::Error> {
    if let CorrectionRefusal::UnknownProperty(id) = refusal
        && let Some(survivor) = app.surviving_property(id).await?
    {
        return Ok(anyhow!("property {id} was merged into {survivor}"));
    }
    Ok(refusal.into())
}

fn property_id(text: &str) -> anyhow::Result<PropertyId> {
    iri::parse_property(text).with_context(|| format!("\"{text}\" is not a property id"))
}

fn advert_id(text: &str) -> anyhow::Result<AdvertId> {
    iri::parse_advert(text).with_context(|| format!("\"{text}\" is not an advert id"))
}

fn unknown(id: PropertyId) -> String {
    format!("property {id} does not exist")
}

fn add_unique<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Formats the explanation of a property: each advert with what put it there, then the history.
fn explanation_text(explanation: &GroupingExplanation, property: &Property, zone: &TimeZone) -> String {
    let GroupingExplanation { property: id, adverts, history } = explanation;
    let mut text = format!("Property {id}, {} advert(s)\n", adverts.len());
    for GroupedAdvert { advert, by, closest } in adverts {
        text += &format!("\nAdvert {}\n", advert_line(*advert, property.advert(*advert)));
        text += &format!("  {}\n", grouped_by(*by));
        if let Some(closest) = closest {
            let closest_advert = seen_from(*advert, comparison_input(closest)).adverts[1];
            text += &format!("  Compared with advert {closest_advert}, the closest one:\n");
            text += &verdict_text(closest);
        }
    }
    if !history.is_empty() {
        text += "\nHistory, newest first\n";
    }
    for LineageRow { at, from, to, adverts, decided_by } in history {
        let at = date::format(*at, zone);
        let ids: Vec<String> = adverts.iter().map(ToString::to_string).collect();
        let decided_by = match decided_by {
            // Escaped, so that it cannot control the terminal.
            DecidedBy::Person(name) => format!("by {}", name.escape_debug()),
            DecidedBy::Sender => "by the sender".to_owned(),
            DecidedBy::Grouping => "automatically".to_owned(),
        };
        text += &format!("  {at}  from {from} to {to}, {decided_by}: {}\n", ids.join(", "));
    }
    text
}

/// Formats the comparison of two adverts.
fn comparison_text(comparison: &AdvertComparison, adverts: &[Advert; 2]) -> String {
    let mut text = String::new();
    for ((id, property), advert) in comparison.adverts.iter().zip(&comparison.properties).zip(adverts) {
        text += &format!("Advert {}\n  of property {property}\n", advert_line(*id, Some(advert)));
    }
    text + &verdict_text(comparison)
}

/// Formats what decides about two adverts, and the evidence as a table.
fn verdict_text(comparison: &AdvertComparison) -> String {
    let mut text = format!("  {}\n", summary(&comparison_input(comparison)));
    for evidence in comparison.comparison.iter().flat_map(|comparison| &comparison.evidence) {
        let Evidence { kind, points, detail } = evidence;
        let name = spaced(kind.name());
        text += &format!("{:>+9.2}  {name}: {}\n", rounded(*points), detail.escape_debug());
    }
    text
}

/// Formats what an advert is recognised by: id, site, reference, URL. Text of senders is escaped.
fn advert_line(id: AdvertId, advert: Option<&Advert>) -> String {
    let details = advert.map(|advert| &advert.details);
    let site = details.and_then(|details| details.site.as_ref()).map_or("-", SiteKey::as_str);
    let reference = details.and_then(|details| details.reference.as_ref()).map_or("-", ShortText::as_str);
    let url = details.and_then(|details| details.url.as_ref()).map_or("-", |url| url.as_str());
    format!("{id}\t{}\t{}\t{}", site.escape_debug(), reference.escape_debug(), url.escape_debug())
}

const fn grouped_by(by: GroupedBy) -> &'static str {
    match by {
        GroupedBy::First => "The first advert of the property.",
        GroupedBy::Sender => "Its sender named the property.",
        GroupedBy::Person => "A person put it here.",
        GroupedBy::Evidence => "It is like other adverts of the property.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::grouping::{Comparison, EvidenceKind, JOIN_SCORE, Verdict};

    fn property(number: u8) -> PropertyId {
        format!("00000000-0000-7000-8000-00000000000{number}").parse().unwrap()
    }

    fn advert(number: u8) -> AdvertId {
        format!("00000000-0000-7000-9000-00000000000{number}").parse().unwrap()
    }

    fn evidence(kind: EvidenceKind, points: f32) -> Evidence {
        Evidence { kind, points, detail: "as a test".to_owned() }
    }

    #[test]
    fn explanation_is_written_in_words() {
        let evidence =
            vec![evidence(EvidenceKind::Price, JOIN_SCORE + 1.0), evidence(EvidenceKind::Rooms, -1.5)];
        let comparison = Comparison { score: JOIN_SCORE - 0.5, veto: None, evidence };
        let compared = AdvertComparison {
            adverts: [advert(1), advert(2)],
            properties: [property(1); 2],
            verdict: Some(Verdict::Same),
            comparison: Some(comparison),
        };
        let explanation = GroupingExplanation {
            property: property(1),
            adverts: vec![
                GroupedAdvert { advert: advert(1), by: GroupedBy::First, closest: None },
                GroupedAdvert { advert: advert(2), by: GroupedBy::Person, closest: Some(compared) },
            ],
            history: vec![
                LineageRow {
                    at: "2026-03-02T09:00:00Z".parse().unwrap(),
                    from: property(2),
                    to: property(1),
                    adverts: vec![advert(2)],
                    decided_by: DecidedBy::Person("Zo\u{1b}é".to_owned()),
                },
                LineageRow {
                    at: "2026-03-01T09:00:00Z".parse().unwrap(),
                    from: property(1),
                    to: property(2),
                    adverts: vec![advert(2)],
                    decided_by: DecidedBy::Grouping,
                },
            ],
        };
        let empty = Property { id: property(1), adverts: Vec::new() };
        let text = explanation_text(&explanation, &empty, &TimeZone::UTC);
        let plus = format!("{:>+9.2}  price: as a test", JOIN_SCORE + 1.0);
        let expected = [
            "Property 00000000-0000-7000-8000-000000000001, 2 advert(s)",
            "",
            "Advert 00000000-0000-7000-9000-000000000001\t-\t-\t-",
            "  The first advert of the property.",
            "",
            "Advert 00000000-0000-7000-9000-000000000002\t-\t-\t-",
            "  A person put it here.",
            "  Compared with advert 00000000-0000-7000-9000-000000000001, the closest one:",
            "  The adverts are in one property. A person decided that they are of one property.",
            &plus,
            "    -1.50  rooms: as a test",
            "",
            "History, newest first",
            "  2026-03-02T09:00:00+00:00  from 00000000-0000-7000-8000-000000000002 to \
             00000000-0000-7000-8000-000000000001, by Zo\\u{1b}é: 00000000-0000-7000-9000-000000000002",
            "  2026-03-01T09:00:00+00:00  from 00000000-0000-7000-8000-000000000001 to \
             00000000-0000-7000-8000-000000000002, automatically: 00000000-0000-7000-9000-000000000002",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
