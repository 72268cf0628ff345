//! All properties that meet filters, as a stream of lines. It replaces reading thousands of pages.
//!
//! The set of properties is fixed when the request starts, so concurrent writes cause neither gaps nor duplicates. Each document is
//! read when the stream reaches it, and left out if it was removed or no longer meets the filters. Memory is bounded: a list of
//! ids, a batch of documents, and the few chunks that a slow client has not read yet.

use std::io;
use std::time::Duration;

use app::access::Caller;
use app::documents::DocumentRenderer;
use app::search::Export;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use domain::PropertyId;
use futures_util::stream;
use http::{HeaderName, HeaderValue, header};
use tokio::sync::mpsc;

use super::Shared;
use super::error::Problem;
use super::metering::{Meter, with_items};
use super::middleware::RequestPermit;
use super::parameters::QueryText;
use super::searching::read_filters;

const TOTAL: HeaderName = HeaderName::from_static("x-total-items");

/// How many ids are read from the index at a time.
const IDS_PER_READ: usize = 1_000;

/// How many documents are rendered at a time, usually a few hundred kilobytes.
const DOCUMENTS_PER_BATCH: usize = 50;

/// How many batches may wait for the client before the stream pauses.
const BATCHES_AHEAD: usize = 2;

/// How long the error line at the end waits for the client to read it.
const ERROR_LINE_TIMEOUT: Duration = Duration::from_secs(1);

/// `GET /documents/properties.ndjson`
pub async fn stream(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    permit: Option<Extension<RequestPermit>>,
    meter: Option<Extension<Meter>>,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, searcher.sites(), &mut parameters).criteria;
    let after = parameters.parse_list("after", "a reference to a property", wire::iri::parse_property).pop();
    let noted = query.finish(parameters, &[])?;

    let slot = shared.stream_slot(&caller)?;
    let export = searcher.export(criteria).await?;
    let total = export.total();
    let (sender, receiver) = mpsc::channel(BATCHES_AHEAD);
    let meter = meter.map(|Extension(meter)| meter);
    let lines = Lines { shared: shared.clone(), export, sender, meter };
    shared.tasks.spawn(async move {
        lines.run(after).await;
        drop((slot, permit));
    });
    let body = stream::unfold(receiver, |mut receiver: mpsc::Receiver<Chunk>| async move {
        match receiver.recv().await {
            Some(Chunk::Lines(text)) => Some((Ok(text), receiver)),
            Some(Chunk::End) => None,
            // The stream was abandoned. Closing the connection tells the client that the response is incomplete.
            None => Some((Err(io::Error::from(io::ErrorKind::BrokenPipe)), receiver)),
        }
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (TOTAL, HeaderValue::from(total)),
    ];
    // The stream counts its lines itself.
    Ok(noted.on(with_items((headers, Body::from_stream(body)).into_response(), 0)))
}

struct Lines {
    shared: Shared,
    export: Export,
    sender: mpsc::Sender<Chunk>,
    meter: Option<Meter>,
}

enum Chunk {
    Lines(Bytes),
    End,
}

/// Why a stream ends early.
enum Aborted {
    /// The client disconnected, or stopped reading for longer than the idle timeout.
    Unread,
    Shutdown,
    Failed,
}

impl Lines {
    async fn run(&self, after: Option<PropertyId>) {
        let mut last = after;
        let aborted = loop {
            match self.send_next(&mut last).await {
                Ok(true) => {}
                Ok(false) => return self.end().await,
                Err(aborted) => break aborted,
            }
        };
        let (status, reason) = match aborted {
            Aborted::Unread => return,
            Aborted::Shutdown => (503, "The server is shutting down"),
            Aborted::Failed => (503, "The documents cannot be read at the moment"),
        };
        let message = match last {
            Some(last) => format!("{reason}. Resume with the parameter after={last}."),
            None => format!("{reason}. Try again."),
        };
        let mut line = serde_json::to_vec(&wire::error::error(status, message)).unwrap_or_default();
        line.push(b'\n');
        if let Ok(Ok(())) =
            tokio::time::timeout(ERROR_LINE_TIMEOUT, self.sender.send(Chunk::Lines(line.into()))).await
        {
            self.end().await;
        }
    }

    async fn end(&self) {
        let timeout = self.shared.config.limits.stream_idle_timeout;
        let _ = tokio::time::timeout(timeout, self.sender.send(Chunk::End)).await;
    }

    /// Sends the documents of the next ids and advances `last`. Returns `false` at the end.
    async fn send_next(&self, last: &mut Option<PropertyId>) -> Result<bool, Aborted> {
        let ids = self.export.ids_after(*last, IDS_PER_READ).await.map_err(|error| failed(&error))?;
        let renderer = self.shared.app.document_renderer().await.map_err(|error| failed(&error))?;
        for batch in ids.chunks(DOCUMENTS_PER_BATCH) {
            let text = self.render(batch, renderer.clone()).await?;
            if !text.is_empty() {
                let lines = text.iter().filter(|byte| **byte == b'\n').count();
                self.send(text).await?;
                if let Some(meter) = &self.meter {
                    meter.count_items(lines);
                }
            }
            *last = batch.last().copied();
        }
        Ok(!ids.is_empty())
    }

    async fn render(&self, ids: &[PropertyId], renderer: DocumentRenderer) -> Result<Vec<u8>, Aborted> {
        self.export.render_lines(ids.to_vec(), renderer).await.map_err(|error| failed(&error))
    }

    async fn send(&self, text: Vec<u8>) -> Result<(), Aborted> {
        let timeout = self.shared.config.limits.stream_idle_timeout;
        tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => Err(Aborted::Shutdown),
            sent = tokio::time::timeout(timeout, self.sender.send(Chunk::Lines(text.into()))) => match sent {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(Aborted::Unread),
            },
        }
    }
}

fn failed(error: &app::Error) -> Aborted {
    tracing::error!(error = error as &dyn std::error::Error, "a stream of documents was aborted");
    Aborted::Failed
}
