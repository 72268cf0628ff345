//! Everything that meets filters, as a stream of lines: for those who would otherwise turn thousands of pages.
//!
//! The matches are those of one moment, so writers neither make the stream skip nor repeat anything; each document is read
//! when its turn comes, and left out when it has gone or no longer meets the filters. Memory is bounded: a piece of ids, a
//! batch of documents, and the few chunks that a slow client has not read yet.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use domain::{Criteria, PropertyId};
use engine::Matches;
use futures_util::stream;
use http::{HeaderName, HeaderValue, header};
use tokio::sync::mpsc;

use super::Shared;
use super::documents::Writer;
use super::error::Problem;
use super::middleware::RequestPermit;
use super::parameters::QueryText;
use super::searching::{computed, read_filters};

const TOTAL: HeaderName = HeaderName::from_static("x-total-items");

/// Ids taken from the index at once.
const IDS_PER_PIECE: usize = 1_000;

/// Documents read and written at once: a few hundred kilobytes of most.
const DOCUMENTS_PER_BATCH: usize = 50;

/// Batches that wait for the client to read them; then we wait as well.
const BATCHES_AHEAD: usize = 2;

/// How long the last word may wait for a client to read it.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// `GET /documents/properties.ndjson`
pub async fn stream(
    State(shared): State<Shared>,
    slot: Option<Extension<RequestPermit>>,
    query: QueryText,
) -> Result<Response, Problem> {
    let view = shared.app.view()?;
    let sites = shared.app.sites_for_search().await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, &sites, &mut parameters).criteria;
    let after = parameters.read_list("after", "a reference to a property", wire::iri::parse_property).pop();
    let noted = query.finish(parameters, &[])?;

    let asked = criteria.clone();
    let matches = Arc::new(computed(&shared, move || view.matches(&asked)).await?);
    let total = matches.total();
    let (sender, receiver) = mpsc::channel(BATCHES_AHEAD);
    let lines = Lines { shared: shared.clone(), criteria, matches, sender };
    shared.tasks.spawn(async move {
        lines.run(after).await;
        drop(slot);
    });
    let body = stream::unfold(receiver, |mut receiver: mpsc::Receiver<Chunk>| async move {
        match receiver.recv().await {
            Some(Chunk::Lines(text)) => Some((Ok(text), receiver)),
            Some(Chunk::End) => None,
            // Given up: the connection is cut, because an answer that merely ended would be taken for whole.
            None => Some((Err(io::Error::from(io::ErrorKind::BrokenPipe)), receiver)),
        }
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (TOTAL, HeaderValue::from(total)),
    ];
    Ok(noted.on((headers, Body::from_stream(body)).into_response()))
}

struct Lines {
    shared: Shared,
    criteria: Criteria,
    matches: Arc<Matches>,
    sender: mpsc::Sender<Chunk>,
}

enum Chunk {
    Lines(Bytes),
    End,
}

/// Why a stream ends before its last line.
enum Cut {
    /// The client is gone, or has not read for as long as a stream may pause.
    Unread,
    Shutdown,
    Failed,
}

impl Lines {
    async fn run(&self, after: Option<PropertyId>) {
        let mut last = after;
        let cut = loop {
            match self.piece(&mut last).await {
                Ok(true) => {}
                Ok(false) => return self.end().await,
                Err(cut) => break cut,
            }
        };
        let (status, reason) = match cut {
            Cut::Unread => return,
            Cut::Shutdown => (503, "The server is shutting down"),
            Cut::Failed => (503, "The documents cannot be read at the moment"),
        };
        let message = match last {
            Some(last) => format!("{reason}; ask for what comes after {last}."),
            None => format!("{reason}; ask again."),
        };
        let mut line = serde_json::to_vec(&wire::error::error(status, message)).unwrap_or_default();
        line.push(b'\n');
        if let Ok(Ok(())) =
            tokio::time::timeout(LAST_PATIENCE, self.sender.send(Chunk::Lines(line.into()))).await
        {
            self.end().await;
        }
    }

    async fn end(&self) {
        let patience = self.shared.config.limits.stream_idle_timeout;
        let _ = tokio::time::timeout(patience, self.sender.send(Chunk::End)).await;
    }

    /// Sends the documents of the next piece of ids and moves `last` along; `false` when there is none.
    async fn piece(&self, last: &mut Option<PropertyId>) -> Result<bool, Cut> {
        let (matches, after) = (Arc::clone(&self.matches), *last);
        let hits = computed(&self.shared, move || matches.after(after, IDS_PER_PIECE))
            .await
            .map_err(|_| Cut::Failed)?;
        let writer = Writer::new(&self.shared).await.map_err(|error| failed(&error))?;
        for batch in hits.chunks(DOCUMENTS_PER_BATCH) {
            let ids: Vec<PropertyId> = batch.iter().map(|hit| hit.property).collect();
            let end = ids.last().copied();
            let text = self.batch(ids, writer.clone()).await?;
            if !text.is_empty() {
                self.send(text).await?;
            }
            *last = end;
        }
        Ok(!hits.is_empty())
    }

    async fn batch(&self, ids: Vec<PropertyId>, writer: Writer) -> Result<Vec<u8>, Cut> {
        let properties = self.shared.app.properties(ids.clone()).await.map_err(|error| failed(&error))?;
        let criteria = self.criteria.clone();
        let write = move || {
            let mut text = Vec::new();
            let found = ids.iter().filter_map(|id| properties.get(id));
            for document in found.filter(|it| criteria.accepts(it)).filter_map(|it| writer.document(it)) {
                text.extend_from_slice(document.get().as_bytes());
                text.push(b'\n');
            }
            text
        };
        computed(&self.shared, write).await.map_err(|_| Cut::Failed)
    }

    async fn send(&self, text: Vec<u8>) -> Result<(), Cut> {
        let patience = self.shared.config.limits.stream_idle_timeout;
        tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => Err(Cut::Shutdown),
            sent = tokio::time::timeout(patience, self.sender.send(Chunk::Lines(text.into()))) => match sent {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(Cut::Unread),
            },
        }
    }
}

fn failed(error: &app::Error) -> Cut {
    tracing::error!(error = error as &dyn std::error::Error, "a stream of documents broke off");
    Cut::Failed
}
