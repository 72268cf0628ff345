//! Measures the phases of one attempt.
//!
//! The attempt may be aborted at its deadline at any point. So the phase in progress is kept here, outside of what is aborted.

use domain::PhaseTimings;
use tokio::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Name,
    Connect,
    Tls,
    FirstByte,
}

#[derive(Debug, Default)]
pub(super) struct Stopwatch {
    timings: PhaseTimings,
    running: Option<(Phase, Instant)>,
}

impl Stopwatch {
    /// Starts a phase, which ends the one before.
    pub fn start(&mut self, phase: Phase) {
        self.start_at(phase, Instant::now());
    }

    fn start_at(&mut self, phase: Phase, now: Instant) {
        self.end(now);
        self.running = Some((phase, now));
    }

    /// Forgets the phase in progress: its request was not processed and is sent again.
    pub fn discard(&mut self) {
        self.running = None;
    }

    /// Ends the phase in progress, and returns all of them.
    pub fn finish(mut self) -> PhaseTimings {
        self.end(Instant::now());
        self.timings
    }

    fn end(&mut self, now: Instant) {
        let Some((phase, since)) = self.running.take() else { return };
        let PhaseTimings { name, connect, tls, first_byte } = &mut self.timings;
        let timing = match phase {
            Phase::Name => name,
            Phase::Connect => connect,
            Phase::Tls => tls,
            Phase::FirstByte => first_byte,
        };
        *timing = Some(now.saturating_duration_since(since));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Starts each phase at its millisecond, ends the last one at the end, and returns the timings.
    fn timings(before: Stopwatch, phases: &[(Phase, u64)], end: u64) -> PhaseTimings {
        let (mut stopwatch, origin) = (before, Instant::now());
        for (phase, at) in phases {
            stopwatch.start_at(*phase, origin + Duration::from_millis(*at));
        }
        stopwatch.end(origin + Duration::from_millis(end));
        stopwatch.finish()
    }

    fn took(milliseconds: u64) -> Option<Duration> {
        Some(Duration::from_millis(milliseconds))
    }

    #[test]
    fn each_phase_ends_the_one_before() {
        let phases = [(Phase::Name, 0), (Phase::Connect, 3), (Phase::Tls, 23), (Phase::FirstByte, 63)];
        let expected =
            PhaseTimings { name: took(3), connect: took(20), tls: took(40), first_byte: took(100) };
        assert_eq!(timings(Stopwatch::default(), &phases, 163), expected);
    }

    #[test]
    fn phase_that_is_discarded_or_never_began_has_no_timing() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.start(Phase::FirstByte);
        stopwatch.discard();
        let expected = PhaseTimings { connect: took(7), ..PhaseTimings::default() };
        assert_eq!(timings(stopwatch, &[(Phase::Connect, 5)], 12), expected);
        assert_eq!(Stopwatch::default().finish(), PhaseTimings::default());
    }
}
