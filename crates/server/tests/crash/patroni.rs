//! Servers on a database that Patroni keeps available: one etcd and three members, each with PostgreSQL.
//!
//! With synchronous replication nothing is lost, whatever is killed or paused. With asynchronous replication, [`loss`] loses what the
//! documentation says, and no server goes on with what is lost.
//!
//! The tests need `patroni` and `etcd`, so they are tests only with the feature `patroni-tests`, which `cargo xtask patroni` sets.
//! `VIGIE_PATRONI_SECONDS` sets how long things are killed (60).

mod loss;

use local_postgres::Replication;

use crate::cluster::Cluster;
use crate::database::Database;
use crate::load;

/// What is done to the servers and their database.
#[derive(Debug, Clone, Copy)]
enum Fault {
    KillServer,
    PauseServer,
    DropConnections,
    /// Patroni and PostgreSQL together, as if the machine had gone.
    KillLeader,
    KillReplica,
    /// Only PostgreSQL, which Patroni starts again, or replaces.
    KillPostgres,
    /// Until another member leads. Then there are two leaders for a moment.
    PauseLeader,
    SwitchOver,
    KillEtcd,
}

const ROUND: [Fault; 10] = [
    Fault::KillServer,
    Fault::KillServer,
    Fault::PauseServer,
    Fault::DropConnections,
    Fault::KillLeader,
    Fault::KillReplica,
    Fault::KillPostgres,
    Fault::PauseLeader,
    Fault::SwitchOver,
    Fault::KillEtcd,
];

#[cfg_attr(feature = "patroni-tests", test)]
#[cfg_attr(not(feature = "patroni-tests"), expect(dead_code, reason = "needs Patroni"))]
fn nothing_is_lost_with_synchronous_replication() {
    let seconds = std::env::var("VIGIE_PATRONI_SECONDS").map_or(60, |seconds| seconds.parse().unwrap());
    let database = Database::replicated(Replication::Synchronous);
    load::run(database, seconds, &ROUND, |cluster, node, fault, chance| match fault {
        Fault::KillServer => cluster.kill(node, chance),
        Fault::PauseServer => cluster.pause(node),
        Fault::DropConnections => cluster.drop_connections(),
        fault => fail_database(cluster, fault),
    });
}

/// Each begins with a complete cluster: if the only replica with all commits is gone as well, no member may lead.
fn fail_database(cluster: &Cluster, fault: Fault) {
    cluster.with_patroni(|patroni| {
        patroni.wait_until_complete()?;
        let leader = patroni.wait_for_leader(None)?;
        match fault {
            Fault::KillLeader => {
                patroni.kill_member(leader)?;
                patroni.wait_for_leader(Some(leader))?;
                patroni.start_member(leader)
            }
            Fault::KillReplica => {
                let replica = patroni.wait_for_replica()?;
                patroni.kill_member(replica)?;
                patroni.start_member(replica)
            }
            Fault::KillPostgres => patroni.kill_postgres(leader),
            Fault::PauseLeader => {
                patroni.pause(leader)?;
                patroni.wait_for_leader(Some(leader))?;
                patroni.resume(leader)
            }
            Fault::SwitchOver => patroni.switch_over().map(drop),
            Fault::KillEtcd => {
                patroni.kill_etcd()?;
                patroni.start_etcd()
            }
            Fault::KillServer | Fault::PauseServer | Fault::DropConnections => {
                unreachable!("not of the database")
            }
        }
    });
}
