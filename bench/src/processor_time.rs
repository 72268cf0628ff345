//! The processor time that processes have used, from `/proc`.

use std::time::Duration;

use anyhow::Context;

/// Linux shows processor times in hundredths of a second, whatever the kernel counts in.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the processor time of a process so far.
pub fn of(process: u32) -> anyhow::Result<Duration> {
    Ok(Usage::read(&process.to_string())?.time)
}

/// Returns the processor time of the processes that this one has started and that still run.
pub fn of_children(process: u32) -> anyhow::Result<Duration> {
    let mut total = Duration::ZERO;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // A process may end in between.
        if name.parse::<u32>().is_ok()
            && let Ok(usage) = Usage::read(&name)
            && usage.parent == process
        {
            total += usage.time;
        }
    }
    Ok(total)
}

struct Usage {
    parent: u32,
    time: Duration,
}

impl Usage {
    fn read(process: &str) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        Self::parse(&text).with_context(|| format!("/proc/{process}/stat has another format: {text}"))
    }

    fn parse(text: &str) -> Option<Self> {
        // The name of the program is in parentheses, and may contain anything.
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
        let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
        let seconds = (ticks(11)? + ticks(12)?) as f64 / TICKS_PER_SECOND;
        Some(Self { parent: fields.get(1)?.parse().ok()?, time: Duration::from_secs_f64(seconds) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_found_behind_any_name() {
        let text = "77 (a) b (c) S 5 77 77 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 100 0 0";
        let usage = Usage::parse(text).unwrap();
        assert_eq!(usage.parent, 5);
        assert_eq!(usage.time, Duration::from_secs(3));
    }

    #[test]
    fn this_process_has_used_some() {
        let own = std::process::id();
        let before = of(own).unwrap();
        let mut sum = 0_u64;
        while of(own).unwrap() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
    }
}
