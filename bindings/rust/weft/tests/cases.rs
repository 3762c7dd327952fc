// SPDX-License-Identifier: Apache-2.0
//! The table of cases that every binding runs.
//!
//! On the CPU device; WEFT_TEST_BACKEND names another, WEFT_WEBGPU another library.

use std::path::{Path, PathBuf};
use std::time::Duration;

use weft::{Execute, Pool, PoolOptions, Quotas, Scalar};

const CANCEL_TRIES: u32 = 1000;

#[derive(Default)]
struct Case {
    lines: Vec<Vec<String>>,
}

impl Case {
    fn rows<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a [String]> + 'a {
        self.lines.iter().filter(move |l| l[0] == key).map(|l| &l[1..])
    }
    fn row(&self, key: &str) -> Option<&[String]> {
        self.lines.iter().find(|l| l[0] == key).map(|l| &l[1..])
    }
    fn has(&self, key: &str) -> bool {
        self.row(key).is_some()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn read_cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("cases.txt")).expect("cases.txt");
    let mut cases = Vec::new();
    let mut case = Case::default();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        if words[0] == "end" {
            cases.push(std::mem::take(&mut case));
        } else {
            case.lines.push(words);
        }
    }
    cases
}

fn options() -> (PoolOptions, bool) {
    if let Ok(library) = std::env::var("WEFT_WEBGPU") {
        return (PoolOptions::new().library(&library).no_own().unmeasured(), false);
    }
    let word = std::env::var("WEFT_TEST_BACKEND").unwrap_or_else(|_| "cpu".into());
    (PoolOptions::new().adapter(&word).unmeasured(), word == "cpu")
}

fn scalar(name: &str) -> Scalar {
    match name {
        "f32" => Scalar::F32,
        "f16" => Scalar::F16,
        "f64" => Scalar::F64,
        "i32" => Scalar::I32,
        "u32" => Scalar::U32,
        _ => Scalar::Bytes,
    }
}

fn shape(text: &str) -> Vec<u64> {
    if text == "-" {
        return Vec::new();
    }
    text.split('x').map(|n| n.parse().expect("a size")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn numbers(row: &[String]) -> [u32; 3] {
    [0, 1, 2].map(|i| row[i].parse().expect("a number"))
}

/// Outputs by name, or an error.
fn run(case: &Case, pool: &Pool) -> weft::Result<Vec<(String, Vec<u8>)>> {
    // A device that ends before it is cancelled gets another go.
    for _ in 1..if case.has("cancel") { CANCEL_TRIES } else { 1 } {
        run_once(case, pool)?;
    }
    run_once(case, pool)
}

fn run_once(case: &Case, pool: &Pool) -> weft::Result<Vec<(String, Vec<u8>)>> {
    let mut quotas = Quotas::default();
    if let Some(row) = case.row("context") {
        quotas.memory = row[1].parse().expect("bytes");
    }
    let context = pool.context_with(&quotas)?;
    let stranger = pool.context()?;
    let wgsl = std::fs::read_to_string(folder().join(&case.row("wgsl").expect("wgsl")[0])).unwrap();
    let data: Vec<Vec<u8>> = case.rows("input").map(|row| bytes(&row[3])).collect();
    let foreign = stranger.data(&[0f32; 4])?;
    let mut execute = Execute::new(&wgsl);
    for (row, bytes) in case.rows("input").zip(&data) {
        execute = if case.rows("foreign").any(|f| f[0] == row[0]) {
            execute.resident(&row[0], &foreign)
        } else {
            execute.input_bytes(&row[0], scalar(&row[1]), &shape(&row[2]), bytes)
        };
    }
    for row in case.rows("output") {
        execute = execute.want_shaped(&row[0], scalar(&row[1]), &shape(&row[2]));
    }
    for row in case.rows("constant") {
        execute = execute.constant(&row[0], row[1].parse().expect("a number"));
    }
    if let Some(row) = case.row("entry") {
        execute = execute.entry(&row[0]);
    }
    if let Some([x, y, z]) = case.row("groups").map(numbers) {
        execute = execute.groups(x, y, z);
    }
    if let Some([x, y, z]) = case.row("invocations").map(numbers) {
        execute = execute.invocations(x, y, z);
    }
    if let Some(row) = case.row("memory_limit") {
        execute = execute.memory_limit(row[0].parse().expect("bytes"));
    }
    if let Some(row) = case.row("deadline") {
        execute = execute.deadline(Duration::from_nanos(row[0].parse().expect("ns")));
    }
    if case.has("no_retry") {
        execute = execute.no_retry();
    }
    let execution = execute.start(&context)?;
    if case.has("cancel") {
        execution.cancel();
    }
    let outputs = weft::block_on(execution)?;
    case.rows("output").map(|row| Ok((row[0].clone(), outputs.vec::<u8>(&row[0])?))).collect()
}

fn values(bytes: &[u8], kind: &str) -> Vec<f64> {
    match kind {
        "f32" => {
            bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect()
        }
        "f64" => bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
        _ => panic!("a tolerance for {}", kind),
    }
}

fn compare(case: &Case, name: &str, outputs: &[(String, Vec<u8>)]) {
    for row in case.rows("expect") {
        let got = &outputs.iter().find(|(n, _)| *n == row[0]).expect("the output").1;
        let want = bytes(&row[1]);
        let tolerance = match case.row("tolerance") {
            None => {
                assert_eq!(*got, want, "{}: {}", name, row[0]);
                continue;
            }
            Some(t) => t[0].parse::<f64>().expect("a number"),
        };
        let kind = &case.rows("output").find(|o| o[0] == row[0]).expect("the output")[1];
        for (got, want) in values(got, kind).iter().zip(values(&want, kind)) {
            let most = tolerance * want.abs().max(1.0);
            assert!((got - want).abs() <= most, "{}: {}, not {}", name, got, want);
        }
    }
}

#[test]
fn every_case_gives_its_bytes_or_its_error() {
    let (options, is_cpu) = options();
    let pool = options.open().unwrap();
    let device = &pool.devices().unwrap()[0];
    let (mut ran, mut skipped) = (0, 0);
    for case in read_cases() {
        let name = &case.row("case").expect("a name")[0];
        let lacks =
            |feature: &str| (feature == "f16" && !device.f16) || (feature == "f64" && !device.f64);
        if case.rows("requires").any(|r| lacks(&r[0])) || (case.has("pool") && !is_cpu) {
            skipped += 1;
            continue;
        }
        let own = case.row("pool").map(|row| {
            let time = Duration::from_nanos(row[1].parse().expect("ns"));
            options.clone().dispatch_deadline(time).open().unwrap()
        });
        let result = run(&case, own.as_ref().unwrap_or(&pool));
        match case.row("error") {
            None => compare(&case, name, &result.unwrap_or_else(|e| panic!("{}: {}", name, e))),
            Some(row) => {
                let error = result.expect_err(name);
                assert_eq!(error.kind().name(), row[0], "{}: {}", name, error);
                if row[1] != "-" {
                    assert_eq!(error.names(), &row[1..2], "{}: {}", name, error);
                }
            }
        }
        ran += 1;
    }
    println!("{} cases ran, {} need another device", ran, skipped);
    assert!(ran >= 40);
}
