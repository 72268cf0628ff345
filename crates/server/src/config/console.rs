//! Settings of section `[console]`.

use std::time::Duration;

use super::source::Reader;
use super::value::{self, DAY};

/// Upper bound of the limit of sign-ins: more than one machine can answer.
const SIGN_INS_MAX: u32 = 1_000_000;

#[derive(Debug, Clone, Copy)]
pub struct Console {
    /// Whether the server has the console and its sessions.
    pub enabled: bool,
    /// How long a session lasts after the sign-in.
    pub session_life: Duration,
    /// Sign-ins of one address; zero is no limit.
    pub sign_ins_per_minute: u32,
}

impl Console {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let enabled = reader.take("console.enabled", value::parsed("true or false"));
        let session_life = reader.take("console.session_life", value::duration(30 * DAY));
        let sign_ins_per_minute = reader.take("console.sign_ins_per_minute_max", value::limit(SIGN_INS_MAX));
        Some(Self {
            enabled: enabled?,
            session_life: session_life?,
            sign_ins_per_minute: sign_ins_per_minute?,
        })
    }
}
