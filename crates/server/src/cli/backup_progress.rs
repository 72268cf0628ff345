//! Progress of a backup or a restoration, on standard error: a bar on a terminal, otherwise a line now and then.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use backup::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use super::output;

/// How often a line is printed if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Prints the progress it gets.
pub struct ProgressPrinter(Arc<Mutex<State>>);

struct State {
    /// `None` if standard error is not a terminal.
    bar: Option<ProgressBar>,
    stage: Option<Stage>,
    printed_at: Instant,
}

impl ProgressPrinter {
    pub fn new() -> Self {
        let bar = io::stderr().is_terminal().then(ProgressBar::no_length);
        Self(Arc::new(Mutex::new(State { bar, stage: None, printed_at: Instant::now() })))
    }

    pub fn report(&self) -> Arc<dyn Fn(Progress) + Send + Sync> {
        let state = Arc::clone(&self.0);
        Arc::new(move |progress| state.lock().unwrap_or_else(PoisonError::into_inner).print(progress))
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.0.lock().unwrap_or_else(PoisonError::into_inner).bar {
            bar.finish_and_clear();
        }
    }
}

impl State {
    fn print(&mut self, progress: Progress) {
        let is_new = self.stage.replace(progress.stage) != Some(progress.stage);
        match &self.bar {
            Some(bar) => {
                if is_new {
                    bar.set_style(style(progress.stage));
                    bar.set_message(name(progress.stage));
                }
                if let Some(total) = progress.total {
                    bar.set_length(total);
                }
                bar.set_position(progress.done);
            }
            None if self.printed_at.elapsed() >= LINE_INTERVAL => {
                self.printed_at = Instant::now();
                output::eprint_line(&line(progress));
            }
            None => {}
        }
    }
}

fn style(stage: Stage) -> ProgressStyle {
    let template = match stage {
        Stage::Verify => "{msg} {pos} records",
        _ => "{msg} {percent}% of {total_bytes}, {bytes_per_sec}, {eta} left",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

const fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Copy => "Copying",
        Stage::Verify => "Verifying",
        Stage::Checksum => "Checksum",
        Stage::Upload => "Uploading",
        Stage::Download => "Downloading",
    }
}

fn line(Progress { stage, done, total }: Progress) -> String {
    let name = name(stage);
    match total {
        Some(total) => {
            let percent = u128::from(done) * 100 / u128::from(total.max(1));
            format!("{name}: {done} of {total} bytes ({percent}%)")
        }
        None => format!("{name}: {done} records"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_it_is() {
        let progress = |stage, done, total| line(Progress { stage, done, total });
        assert_eq!(progress(Stage::Copy, 512, Some(2_048)), "Copying: 512 of 2048 bytes (25%)");
        assert_eq!(progress(Stage::Upload, 0, Some(0)), "Uploading: 0 of 0 bytes (0%)");
        assert_eq!(progress(Stage::Verify, 7, None), "Verifying: 7 records");
    }
}
