//! The command pool-rayon: numbers made, sorted and summed up by rayon, as its users write it.
use rayon::prelude::*;
use std::{env, process, thread, time::Instant};

const NAME: &str = "pool-rayon";
/// A sort of so few numbers is not divided.
const GRAIN: usize = 256;

struct Known {
    name: &'static str,
    least: usize,
    most: usize,
    value: usize,
    help: &'static str,
}

fn refuse(why: String) -> ! {
    eprintln!("{NAME}: {why}");
    process::exit(2)
}

fn help(known: &[Known]) -> ! {
    println!("{NAME}: numbers made, sorted and summed up by rayon, in rounds.\n");
    for o in known {
        println!("  {:12} {} ({}..{}; {})", o.name, o.help, o.least, o.most, o.value);
    }
    println!("  {:12} this", "--help");
    process::exit(0)
}

fn read(known: &mut [Known]) {
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--help" {
            help(known)
        }
        let o = match known.iter_mut().find(|o| o.name == word) {
            Some(o) => o,
            None => refuse(format!("no option is called \"{word}\"; --help lists them")),
        };
        let takes = format!("{word} takes a whole number from {} to {}", o.least, o.most);
        let given = words.next().unwrap_or_else(|| refuse(takes.clone()));
        o.value = match given.parse() {
            Ok(value) if (o.least..=o.most).contains(&value) => value,
            _ => refuse(format!("{takes}, not \"{given}\"")),
        };
    }
}

/// The i-th number of a round of a job [the finalizer of Steele, Lea and Flood's SplitMix, 2014].
fn number(job: usize, round: usize, i: usize) -> u64 {
    let mut x = ((job as u64) << 48 ^ (round as u64) << 24 ^ i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Merges two halves, each of which any thread may sort.
fn sort(numbers: &mut [u64], room: &mut [u64]) {
    if numbers.len() <= GRAIN {
        return numbers.sort_unstable();
    }
    let middle = numbers.len() / 2;
    {
        let (left, right) = numbers.split_at_mut(middle);
        let (left_room, right_room) = room.split_at_mut(middle);
        rayon::join(|| sort(left, left_room), || sort(right, right_room));
    }
    let (mut left, mut right) = (0, middle);
    for to in room.iter_mut() {
        let is_left = right == numbers.len() || left < middle && numbers[left] <= numbers[right];
        let from = if is_left { &mut left } else { &mut right };
        *to = numbers[*from];
        *from += 1;
    }
    numbers.copy_from_slice(room);
}

/// Weighs a number by its place, so that the sum is that of one order alone.
fn weighed((i, number): (usize, &u64)) -> u64 {
    number.rotate_left(i as u32 % 64).wrapping_mul(2 * i as u64 + 1)
}

/// The sums of a round: of all weighed numbers, and the largest distance of neighbours.
fn round(job: usize, round: usize, numbers: &mut Vec<u64>, room: &mut [u64]) -> (u64, u64) {
    (0..room.len()).into_par_iter().map(|i| number(job, round, i)).collect_into_vec(numbers);
    sort(numbers, room);
    let sum = numbers.par_iter().enumerate().map(weighed).reduce(|| 0, u64::wrapping_add);
    let distance = numbers.par_windows(2).map(|pair| pair[1] - pair[0]).max();
    (sum, distance.unwrap_or(0))
}

/// The same by one thread and the standard library.
fn expected(job: usize, round: usize, count: usize) -> (u64, u64) {
    let mut numbers: Vec<u64> = (0..count).map(|i| number(job, round, i)).collect();
    numbers.sort_unstable();
    let sum = numbers.iter().enumerate().map(weighed).fold(0, u64::wrapping_add);
    (sum, numbers.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0))
}

/// Jobs first, first + step, ... by a pool of its own: the sums of their rounds.
fn work(first: usize, step: usize, jobs: usize, threads: usize, rounds: usize, count: usize) -> Vec<(usize, Vec<(u64, u64)>)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.unwrap_or_else(|why| refuse(why.to_string()));
    let (mut numbers, mut room, mut done) = (Vec::new(), vec![0; count], Vec::new());
    for job in (first..jobs).step_by(step) {
        let all = || (0..rounds).map(|r| round(job, r, &mut numbers, &mut room)).collect();
        done.push((job, pool.install(all)));
    }
    done
}

fn main() {
    let processors = thread::available_parallelism().map_or(1, |n| n.get());
    let whole = |name, least, most, value, help| Known { name, least, most, value, help };
    let mut known = [
        whole("--threads", 1, 1_024, processors, "threads of a pool"),
        whole("--callers", 1, 256, 1, "threads that work at the same time, each with a pool of its own"),
        whole("--jobs", 1, 10_000, 4, "independent jobs, which the callers divide"),
        whole("--rounds", 1, 1_000_000, 200, "of a job, one after another"),
        whole("--numbers", 1, 1 << 24, 8_192, "of a round"),
    ];
    read(&mut known);
    let [threads, callers, jobs, rounds, count] = known.map(|o| o.value);

    let begun = Instant::now();
    let mut done: Vec<_> = thread::scope(|all| {
        let others: Vec<_> = (1..callers).map(|c| all.spawn(move || work(c, callers, jobs, threads, rounds, count))).collect();
        let mut mine = work(0, callers, jobs, threads, rounds, count);
        mine.extend(others.into_iter().flat_map(|one| one.join().expect("a caller has panicked")));
        mine
    });
    let s = begun.elapsed().as_secs_f64();
    let called = if callers > 1 { format!(", {callers} callers") } else { String::new() };
    eprintln!("{NAME}: {threads} threads, {s:.6} s, {:.2} us a round{called}", 1e6 * s / (jobs * rounds) as f64);

    done.sort();
    let all = done.iter().flat_map(|(_, its)| its).fold(0u64, |sum, each| sum.rotate_left(1) ^ each.0 ^ each.1);
    println!("{jobs} jobs of {rounds} rounds, all sums make {all:016x}");
    for (job, its) in &done {
        if let Some(r) = (0..rounds).find(|&r| its[r] != expected(*job, r, count)) {
            eprintln!("{NAME}: wrong: round {r} of job {job} is not what one thread computes");
            process::exit(1)
        }
    }
}
