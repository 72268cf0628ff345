//! Several servers on one PostgreSQL database lose nothing, whatever is killed.
//!
//! While clients work ([`load`]), servers are killed and paused, connections to the database are dropped, and the database itself is
//! killed, at random.
//!
//! `VIGIE_NODES_SECONDS` sets how long things are killed (120).

use crate::database::Database;
use crate::load;

/// What is done to the servers and their database.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Kill,
    Pause,
    DropConnections,
    KillDatabase,
}

const ROUND: [Fault; 6] =
    [Fault::Kill, Fault::Kill, Fault::Kill, Fault::Pause, Fault::DropConnections, Fault::KillDatabase];

#[test]
fn nothing_is_lost_whatever_is_killed() {
    let seconds = std::env::var("VIGIE_NODES_SECONDS").map_or(120, |seconds| seconds.parse().unwrap());
    load::run(Database::one(), seconds, &ROUND, |cluster, node, fault, chance| match fault {
        Fault::Kill => cluster.kill(node, chance),
        Fault::Pause => cluster.pause(node),
        Fault::DropConnections => cluster.drop_connections(),
        Fault::KillDatabase => cluster.kill_database(),
    });
}
