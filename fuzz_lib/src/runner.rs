//! Runs a target for a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::corpus::found;
use crate::mutate::Mutator;
use crate::targets::Target;

/// What a run was.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many inputs were given.
    pub cases: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// The longest that one took, s.
    pub slowest: f64,
    /// What ended it, if anything but the time.
    pub found: Option<Found>,
}

/// An input that made the target panic.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number; 0 … are the corpus itself.
    pub case: u64,
    /// What the panic said.
    pub message: String,
    /// Where the input was written.
    pub path: PathBuf,
}

/// Gives a target its corpus, then mutations of it until the time is over or it panics.
pub fn run(target: &Target, time: Duration, seed: u64) -> anyhow::Result<Report> {
    let corpus = (target.corpus)()?;
    let mut give = (target.build)()?;
    let mut mutator = Mutator::new(corpus.clone(), target.words, seed);
    let (mut report, mut input, started) = (Report::default(), vec![], Instant::now());
    let mut given = corpus.into_iter();
    loop {
        let of_corpus = given.next();
        if of_corpus.is_none() && started.elapsed() >= time {
            return Ok(report);
        }
        match of_corpus {
            Some(file) => input = file,
            None => mutator.fill(&mut input),
        }
        let begun = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| give(&input)));
        report.slowest = report.slowest.max(begun.elapsed().as_secs_f64());
        if let Err(panic) = outcome {
            let text = panic.downcast_ref::<String>().cloned();
            let message = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            let path = found(target.name, report.cases);
            let folder = path.parent().context("no folder")?;
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &input))?;
            let message = message.unwrap_or_else(|| "it panicked".into());
            report.found = Some(Found { case: report.cases, message, path });
            return Ok(report);
        }
        report.cases += 1;
        report.bytes += input.len() as u64;
    }
}
