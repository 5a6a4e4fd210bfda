//! Measures the steps natively; `run.mjs` and `browser.mjs` measure the same in WebAssembly.
//!
//! ```text
//! triphase-wasm-bench [BODIES [FRAMES [portable | sse2 | avx2 | best]]]
//! ```

use std::process::ExitCode;
use std::time::Instant;
use triphase::SimdLevel;
use triphase_wasm_bench::Run;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some((bodies, frames, simd_max)) = parse(&arguments) else {
        eprintln!("usage: triphase-wasm-bench [BODIES [FRAMES [portable | sse2 | avx2 | best]]]");
        return ExitCode::FAILURE;
    };
    let mut run = Run::new(bodies, simd_max);
    let mut times = Vec::with_capacity(frames);
    let mut pairs = 0;
    for frame in 0..frames {
        let begin = Instant::now();
        pairs += run.step();
        let time = begin.elapsed().as_secs_f64() * 1e9 / bodies as f64;
        // As in measure.mjs.
        if frame >= frames / 2 {
            times.push(time);
        }
        run.advance();
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{{\"bodies\":{bodies},\"frames\":{frames},\"pairs\":{pairs},\"ns_per_body_min\":{:.1},\"ns_per_body_median\":{:.1},\"pair_order_hash\":\"{:016x}\"}}",
        times[0],
        times[times.len() / 2],
        run.order_hash()
    );
    ExitCode::SUCCESS
}

fn parse(arguments: &[String]) -> Option<(usize, usize, Option<SimdLevel>)> {
    let number = |at: usize, default| arguments.get(at).map_or(Some(default), |text| text.parse().ok());
    let simd_max = match arguments.get(2).map(String::as_str) {
        Some("portable") => Some(SimdLevel::Portable),
        Some("sse2") => Some(SimdLevel::Sse2),
        Some("avx2") => Some(SimdLevel::Avx2),
        Some("best") | None => None,
        Some(_) => return None,
    };
    let (bodies, frames) = (number(0, 100_000)?, number(1, 300)?);
    (bodies > 0 && frames > 0 && arguments.len() <= 3).then_some((bodies, frames, simd_max))
}
