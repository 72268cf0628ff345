//! The webhook receiver of the tests as a command. Prints its address on the first line and runs until it is
//! killed.

use std::collections::HashSet;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use testkit::receiver::{
    Authority, Behaviour, InjectedFault, Protocols, Receiver, ReceiverConfig, Retention, Script,
};

/// Receives webhooks and injects faults.
#[derive(Parser)]
struct Arguments {
    /// Address to listen on. Port 0 picks a free port.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Number of consecutive addresses to listen on, all with the same port.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=200))]
    hosts: u8,
    /// Write the CA certificate to this file before the address is printed.
    #[arg(long)]
    ca_out: Option<PathBuf>,
    /// Inject this fault into every request or connection: a name from `--list`, or `status-404`.
    #[arg(long, value_parser = behaviour, conflicts_with_all = ["by_path", "fail_one_in"])]
    fault: Option<Behaviour>,
    /// Inject the fault named by the path `/fault/<name>`.
    #[arg(long)]
    by_path: bool,
    /// Respond with 500 to one message in N, the first time it arrives.
    #[arg(long, conflicts_with = "by_path")]
    fail_one_in: Option<u64>,
    /// Never respond to requests on this address.
    #[arg(long)]
    hang_host: Vec<IpAddr>,
    /// Append `<webhook-id> <SHA-256 of the body> <behaviour>` for every request, synced to disk before the
    /// response.
    #[arg(long)]
    ledger: Option<PathBuf>,
    /// HTTP versions to offer. Faults use HTTP/1.1 unless they are about HTTP/2.
    #[arg(long, value_enum, default_value_t = Protocol::Http1)]
    protocol: Protocol,
    /// Target of redirects.
    #[arg(long)]
    redirect_to: Option<String>,
    /// List all faults with a description, and exit.
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Protocol {
    Http1,
    Http2,
    Both,
}

fn behaviour(name: &str) -> Result<Behaviour, String> {
    Behaviour::by_name(name).ok_or_else(|| "unknown fault: see --list".to_owned())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        for fault in InjectedFault::ALL {
            println!("{:32}{}", fault.name(), fault.description());
        }
        return ExitCode::SUCCESS;
    }
    // One thread: it shares the machine with the system under test, and is fast enough.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(run(arguments))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hostile-receiver: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> std::io::Result<()> {
    let authority = Authority::new();
    if let Some(path) = &arguments.ca_out {
        std::fs::write(path, authority.pem())?;
    }
    let config = ReceiverConfig {
        addresses: addresses(arguments.listen.ip(), arguments.hosts),
        port: arguments.listen.port(),
        protocols: match arguments.protocol {
            Protocol::Http1 => Protocols::Http1,
            Protocol::Http2 => Protocols::Http2,
            Protocol::Both => Protocols::Both,
        },
        retention: Retention::CountOnly,
        log_file: arguments.ledger.clone(),
        redirect_to: arguments.redirect_to.clone(),
        script: script(arguments),
    };
    let receiver = Receiver::start(&authority, config).await?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", receiver.address())?;
    output.flush()?;
    tokio::signal::ctrl_c().await
}

fn script(arguments: Arguments) -> Script {
    let base = match (arguments.fault, arguments.by_path, arguments.fail_one_in) {
        (Some(behaviour), _, _) => Script::always(behaviour),
        (None, true, _) => Script::by_path(),
        (None, false, Some(messages)) => Script::refusing_one_in(messages),
        (None, false, None) => Script::good(),
    };
    if arguments.hang_host.is_empty() {
        return base;
    }
    let hanging: HashSet<IpAddr> = arguments.hang_host.into_iter().collect();
    base.with_override(move |request| {
        hanging.contains(&request.address).then_some(Behaviour::Fault(InjectedFault::HangBeforeAnswer))
    })
}

fn addresses(first: IpAddr, hosts: u8) -> Vec<IpAddr> {
    match first {
        IpAddr::V4(first) => (0..hosts)
            .map(|host| IpAddr::V4(Ipv4Addr::from_bits(first.to_bits() + u32::from(host))))
            .collect(),
        IpAddr::V6(_) => vec![first],
    }
}
