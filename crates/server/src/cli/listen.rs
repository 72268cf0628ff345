//! `vigie listen`: receives webhooks on this machine, verifies and prints them, and passes them on to a program.
//!
//! The server sends to it as to any receiver: over TLS, signed. So the server must run on this machine, must be allowed to send to
//! private addresses, and must trust the certificate of the command. The command checks that first, and says what is missing.

mod searches;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use app::system::SystemClock;
use clap::Args;
use delivery::signature::{self, ID_HEADER, VerifyError};
use domain::{Clock, Endpoint, EventName, WebhookSecret};
use http::{Request, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wire::names;

use super::client::{ApiClient, ClientArgs, Server};
use super::output;
use super::receiver::{CERTIFICATE_FILE, Certificate, Handle, Message, Receiver, describe};
use super::serve::stop_on_signal;
use crate::mcp::api::{Answer, Api, Call};

/// Paths of the receiver.
const CHECK: &str = "check";
const MATCHES: &str = "matches";
const EVENTS: &str = "events";

/// How long requests in progress may take at the end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub struct ListenArgs {
    #[command(flatten)]
    client: ClientArgs,
    /// Loopback address and port to receive on; port 0 chooses a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,
    /// Folder of the certificate, created at the first start
    #[arg(long, value_name = "FOLDER", default_value = "./vigie-listen")]
    folder: PathBuf,
    /// Point this search at the receiver while the command runs; may be repeated
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    search: Vec<String>,
    /// Point all searches of the key's owner at the receiver
    #[arg(long)]
    all: bool,
    /// Comma-separated events to subscribe to meanwhile [default: those of the search, or all if it has none]
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', value_parser = event_name)]
    events: Vec<EventName>,
    /// Pass every verified request on, unchanged, and answer what this program answers
    #[arg(long, value_name = "URL")]
    forward: Option<String>,
    /// Print the whole body of each message
    #[arg(long)]
    print_json: bool,
    /// Stop after this many verified messages
    #[arg(long, value_name = "NUMBER")]
    count: Option<u64>,
}

fn event_name(text: &str) -> Result<EventName, String> {
    names::parse_event_name(text).ok_or_else(|| {
        let known: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        format!("the events are {}", known.join(", "))
    })
}

pub async fn run(args: ListenArgs) -> anyhow::Result<ExitCode> {
    if !args.listen.ip().is_loopback() {
        bail!("--listen must be a loopback address, such as 127.0.0.1:8443");
    }
    let client = Arc::new(args.client.client()?);
    let forward = args.forward.as_deref().map(Server::parse).transpose()?;
    let certificate = Certificate::load_or_generate(&args.folder)?;
    let receiver = Receiver::bind(args.listen, &certificate).await?;
    let (tasks, stop, done) = (TaskTracker::new(), CancellationToken::new(), CancellationToken::new());
    stop_on_signal(done.clone())?;
    let listener = Arc::new(MessageHandler {
        secret: Mutex::new(webhook_secret(&client).await?),
        client: Arc::clone(&client),
        forward,
        print_json: args.print_json,
        remaining: args.count.map(AtomicU64::new),
        done: done.clone(),
    });
    let addresses = Addresses::of(&receiver)?;
    tasks.spawn(receiver.run(listener, tasks.clone(), stop.clone()));
    let listened = listen(&client, &args, &addresses, &done).await;
    stop.cancel();
    tasks.close();
    let _ = tokio::time::timeout(STOP_TIMEOUT, tasks.wait()).await;
    listened.map(|()| ExitCode::SUCCESS)
}

/// The addresses of the receiver.
struct Addresses {
    check: Endpoint,
    matches: Endpoint,
    events: Endpoint,
}

impl Addresses {
    fn of(receiver: &Receiver) -> anyhow::Result<Self> {
        Ok(Self {
            check: receiver.endpoint(CHECK)?,
            matches: receiver.endpoint(MATCHES)?,
            events: receiver.endpoint(EVENTS)?,
        })
    }
}

/// Checks that the server can send to the receiver, points searches at it, and waits for the end.
async fn listen(
    client: &ApiClient,
    args: &ListenArgs,
    addresses: &Addresses,
    done: &CancellationToken,
) -> anyhow::Result<()> {
    let pointed = searches::Pointed::new(client, &args.folder);
    // First, because it needs nothing of the receiver: the server may no longer send to this machine.
    pointed.put_back_earlier().await?;
    check(client, &addresses.check, &args.folder).await?;
    let chosen = if args.all { searches::all(client).await? } else { args.search.clone() };
    let point = pointed.point(&chosen, addresses, &args.events);
    let pointing = tokio::select! { pointing = point => pointing, () = done.cancelled() => Ok(()) };
    if pointing.is_ok() && !done.is_cancelled() {
        output::print_line(&introduction(addresses, chosen.len()));
        done.cancelled().await;
    }
    // Also if only some of them were pointed here.
    pointed.put_back().await?;
    pointing
}

fn introduction(Addresses { check: _, matches, events }: &Addresses, searches: usize) -> String {
    let pointed = match searches {
        0 => {
            "To receive the messages of a search, start again with --search, or set in the search:".to_owned()
        }
        1 => "1 search sends here until this command ends. Others can be set to:".to_owned(),
        count => format!("{count} searches send here until this command ends. Others can be set to:"),
    };
    format!(
        "Ready: the server reached this receiver, and its signature was verified. Press Ctrl-C to stop.\n{pointed}\n  \
         endpointRecipient  {matches}\n  eventEndpoint      {events}"
    )
}

/// Lets the server send a sample to the receiver. Fails with what has to be set.
async fn check(client: &ApiClient, endpoint: &Endpoint, folder: &Path) -> anyhow::Result<()> {
    let address = utf8_percent_encode(endpoint.as_str(), NON_ALPHANUMERIC);
    let tester = format!("/webhook-tester?endpoint={address}&eventType={}", names::MATCH);
    let Answer { status, body, .. } = client.call(Call::get(tester)).await?;
    let problem = match status {
        StatusCode::OK => return Ok(()),
        StatusCode::UNPROCESSABLE_ENTITY => "the server refuses to send webhooks to this machine".to_owned(),
        StatusCode::BAD_GATEWAY => {
            match (body["receiver"]["outcome"].as_str(), body["receiver"]["status"].as_u64()) {
                (Some("tls"), _) => "the server does not trust the certificate of this command".to_owned(),
                (_, Some(401)) => bail!(
                    "the server reached this receiver, but its signature could not be verified; are the clocks of both correct?"
                ),
                (outcome, _) => {
                    format!(
                        "the server cannot reach {endpoint} ({}); does it run on this machine?",
                        outcome.unwrap_or("?")
                    )
                }
            }
        }
        _ => bail!("{}", refusal("cannot test the way from the server to this machine", status, &body)),
    };
    let certificate = folder.join(CERTIFICATE_FILE);
    let certificate = std::path::absolute(&certificate).unwrap_or(certificate);
    bail!(
        "{problem}. Start it with these settings, which are for development only:\n\n  \
         VIGIE_DELIVERY__DANGER_ALLOW_PRIVATE_ADDRESSES=true \\\n  VIGIE_DELIVERY__EXTRA_CA_FILE={} \\\n  vigie serve\n",
        certificate.display()
    )
}

fn refusal(what: &str, status: StatusCode, body: &Value) -> String {
    let detail = body["detail"].as_str().unwrap_or("no details");
    format!("{what}: the server answered {}: {detail}", status.as_u16())
}

/// Calls the API. An answer that is not a success is an error.
async fn ok(client: &ApiClient, what: &str, call: Call) -> anyhow::Result<Value> {
    let Answer { status, body, .. } = client.call(call).await.with_context(|| what.to_owned())?;
    if status.is_success() { Ok(body) } else { bail!("{}", refusal(what, status, &body)) }
}

async fn webhook_secret(client: &ApiClient) -> anyhow::Result<WebhookSecret> {
    let body = ok(client, "cannot read the signing secret", Call::get("/webhook-secret")).await?;
    let secret = body["secret"].as_str().and_then(signature::parse);
    secret.context("the signing secret of the server is malformed")
}

/// Verifies messages, prints them, and passes them on.
struct MessageHandler {
    client: Arc<ApiClient>,
    secret: Mutex<WebhookSecret>,
    forward: Option<Server>,
    print_json: bool,
    /// Number of messages until the end; `None` for no end.
    remaining: Option<AtomicU64>,
    /// Cancelled when the command is to end.
    done: CancellationToken,
}

impl Handle for MessageHandler {
    async fn receive(&self, message: Message) -> StatusCode {
        let verified = self.verify(&message).await;
        if message.target == format!("/{CHECK}") {
            return if verified.is_ok() { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
        }
        let time = SystemClock.now().strftime("%H:%M:%SZ").to_string();
        let id = message.header(ID_HEADER);
        if let Err(reason) = verified {
            output::print_line(&format!("{time}  REJECTED  {reason}  ({id}, {} bytes)", message.body.len()));
            return StatusCode::UNAUTHORIZED;
        }
        let mut line =
            format!("{time}  verified  {}  ({id}, {} bytes)", describe(&message.body), message.body.len());
        let status = match &self.forward {
            None => StatusCode::OK,
            Some(program) => {
                let (status, outcome) = pass_on(program, &message).await;
                line += &format!("  → {outcome}");
                status
            }
        };
        output::print_line(&line);
        if self.print_json
            && let Ok(body) = serde_json::from_slice::<Value>(&message.body)
        {
            output::print_line(&format!("{body:#}"));
        }
        self.count();
        status
    }
}

impl MessageHandler {
    async fn verify(&self, message: &Message) -> Result<(), VerifyError> {
        let verify = |secret: &WebhookSecret| message.verify([secret], SystemClock.now());
        let known = self.secret.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match verify(&known) {
            // The owner may have rotated the secret.
            Err(VerifyError::Signature) => match webhook_secret(&self.client).await {
                Ok(current) => {
                    let verified = verify(&current);
                    *self.secret.lock().unwrap_or_else(PoisonError::into_inner) = current;
                    verified
                }
                Err(_) => Err(VerifyError::Signature),
            },
            verified => verified,
        }
    }

    /// Counts a message, and ends the command after the last one.
    fn count(&self) {
        if let Some(remaining) = &self.remaining
            && remaining.fetch_sub(1, Ordering::Relaxed) <= 1
        {
            self.done.cancel();
        }
    }
}

/// Sends the message to the program with the same headers and bytes. Returns what it answered, and that in words.
async fn pass_on(program: &Server, message: &Message) -> (StatusCode, String) {
    let request = Request::post(program.target()).body(message.body.clone());
    let mut request = match request {
        Ok(request) => request,
        Err(error) => return (StatusCode::BAD_GATEWAY, format!("not passed on: {error}")),
    };
    for (name, value) in &message.headers {
        // Those of the connection are written anew.
        if ![header::HOST, header::CONTENT_LENGTH, header::CONNECTION, header::TRANSFER_ENCODING]
            .contains(name)
        {
            request.headers_mut().append(name, value.clone());
        }
    }
    match program.send(request).await {
        Ok(response) => (response.status(), response.status().as_u16().to_string()),
        Err(error) => (StatusCode::BAD_GATEWAY, format!("not passed on: {error}")),
    }
}
