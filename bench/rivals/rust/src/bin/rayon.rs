//! rayon's joins, scopes and parallel iterators.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use rivals::busy_loop;
use rivals::queens::Board;
use rivals::turns::{program, take_turns, timed, Failure, Parameters, Program, Turn};
use rivals::uts::{ChildHash, State, Tree};

fn fib(n: i64) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn treerec(n: i64, steps: u64) -> u64 {
    if n < 2 {
        busy_loop::run(steps);
        return 1;
    }
    let (a, b) = rayon::join(|| treerec(n - 1, steps), || treerec(n - 2, steps));
    a + b
}

fn queens(b: &Board, column: i32) -> u64 {
    if b.full() {
        return 1;
    }
    let Some(column) = b.next_free(column) else { return 0 };
    let (here, further) = rayon::join(|| queens(&b.with(column), 0), || queens(b, column + 1));
    here + further
}

// Siblings from `first` on, the first of them against the others.
fn visit_row(tree: &Tree, row: &[State], depth: u32) -> u64 {
    match row {
        [] => 0,
        [only] => visit(tree, only, depth),
        [first, others @ ..] => {
            let (a, b) = rayon::join(|| visit(tree, first, depth), || visit_row(tree, others, depth));
            a + b
        }
    }
}

fn visit(tree: &Tree, node: &State, depth: u32) -> u64 {
    const ROW_MAX: u32 = 8;
    let children = tree.children(node, depth);
    let mut found = 1;
    let mut hash = ChildHash::new(node);
    let mut row = [State::default(); ROW_MAX as usize];
    for first in (0..children).step_by(ROW_MAX as usize) {
        let many = ROW_MAX.min(children - first) as usize;
        for (index, child) in (first..).zip(&mut row[..many]) {
            *child = hash.child(index);
        }
        found += visit_row(tree, &row[..many], depth + 1);
    }
    found
}

/// A number for each worker, a cache line apart.
#[repr(align(64))]
#[derive(Default)]
struct Slot(AtomicU64);

struct Counts(Vec<Slot>);

impl Counts {
    fn new(workers: usize) -> Counts {
        Counts((0..workers).map(|_| Slot::default()).collect())
    }

    // One writer each: no read-modify-write is needed.
    fn add(&self) {
        let own = &self.0[rayon::current_thread_index().unwrap_or(0)].0;
        own.store(own.load(Relaxed) + 1, Relaxed);
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|slot| slot.0.load(Relaxed)).sum()
    }
}

fn visit_spawned<'a>(scope: &Scope<'a>, tree: &'a Tree, nodes: &'a Counts, node: State, depth: u32) {
    nodes.add();
    let mut hash = ChildHash::new(&node);
    for i in 0..tree.children(&node, depth) {
        let child = hash.child(i);
        scope.spawn(move |scope| visit_spawned(scope, tree, nodes, child, depth + 1));
    }
}

fn consume(ran: &Counts, steps: u64) {
    busy_loop::run(steps);
    ran.add();
}

// Makes the next producer, and then its consumers.
fn produce<'a>(scope: &Scope<'a>, ran: &'a Counts, left: i64, consumers: i64, steps: u64) {
    ran.add();
    if left > 1 {
        scope.spawn(move |scope| produce(scope, ran, left - 1, consumers, steps));
    }
    for _ in 0..consumers {
        scope.spawn(move |_| consume(ran, steps));
    }
}

// The loops with iterations of some steps from `first` to `last`, as in kernels/loop.cpp.
fn loop_program(pool: Arc<ThreadPool>, p: &Parameters) -> Result<Program, Failure> {
    const UNIFORM_STEPS: i64 = 3;
    const RAMP_STEPS: i64 = 48;
    p.refuse_clock()?;
    let of_us = |us: f64| p.number("ns_per_step").map(|ns| (us * 1e3 / ns).round() as i64);
    let (finest, coarsest) = (of_us(1.0)?, of_us(10_000.0)?);
    let (at_scale_1, first, last) = match p.word("kind")? {
        "FG" => (1e6, finest, finest),
        "CG" => (96.0, coarsest, coarsest),
        "IG" => (200.0, finest, coarsest),
        "DG" => (200.0, coarsest, finest),
        "uniform" => (1e7, UNIFORM_STEPS, UNIFORM_STEPS),
        "ramp" => (1e7, 0, RAMP_STEPS),
        other => return Err(Failure::Cannot(format!("no loop '{other}'"))),
    };
    let iterations = ((at_scale_1 * p.number("scale")?).round() as usize).max(1);
    let slope = ((last - first) << 32) / (iterations.max(2) as i64 - 1);
    let mut ran = vec![0_u16; iterations];
    Ok(Box::new(move || {
        const WARM_UP: usize = 20_000; // iterations of 1 us, untimed
        pool.install(|| (0..WARM_UP).into_par_iter().for_each(|_| busy_loop::run(finest as u64)));
        let turn = timed(|| {
            pool.install(|| {
                ran.par_iter_mut().enumerate().for_each(|(i, times)| {
                    busy_loop::run((((first << 32) + slope * i as i64) >> 32) as u64);
                    *times += 1;
                })
            });
            0
        });
        let found = ran.iter().filter(|&&times| times == 1).count() as u64;
        ran.fill(0);
        Turn { found, ..turn }
    }))
}

fn uts(pool: Arc<ThreadPool>, p: &Parameters) -> Result<Program, Failure> {
    let tree = Tree::new(p)?;
    if p.word("construct")? == "fork" {
        return program(move || pool.install(|| visit(&tree, &tree.root(), 0)));
    }
    program(move || {
        let nodes = Counts::new(pool.current_num_threads());
        pool.install(|| rayon::scope(|scope| visit_spawned(scope, &tree, &nodes, tree.root(), 0)));
        nodes.sum()
    })
}

fn make(kernel: &str, p: &Parameters) -> Result<Program, Failure> {
    const STACK_BYTES: usize = 1 << 30; // address space: tasks nest as deep as luck has it
    let workers = p.integer("workers")? as usize;
    let built = ThreadPoolBuilder::new().num_threads(workers).stack_size(STACK_BYTES).build();
    let pool = Arc::new(built.map_err(|e| Failure::Bad(e.to_string()))?);
    match kernel {
        "fib" => {
            let n = p.integer("n")?;
            program(move || pool.install(|| fib(n)))
        }
        "treerec" => {
            let (n, steps) = (p.integer("n")?, p.steps()?);
            program(move || pool.install(|| treerec(n, steps)))
        }
        "nqueens" => {
            let empty = Board::new(p.integer("n")? as i32);
            program(move || pool.install(|| queens(&empty, 0)))
        }
        "uts" => uts(pool, p),
        "spc" if p.word("splittable")? != "true" => {
            let (tasks, steps) = (p.integer("tasks")?, p.steps()?);
            program(move || {
                let ran = Counts::new(pool.current_num_threads());
                pool.install(|| rayon::scope(|scope| (0..tasks).for_each(|_| scope.spawn(|_| consume(&ran, steps)))));
                ran.sum()
            })
        }
        "bpc" if p.word("splittable")? != "true" => {
            let (n, d, steps) = (p.integer("n")?, p.integer("d")?, p.steps()?);
            program(move || {
                let ran = Counts::new(pool.current_num_threads());
                pool.install(|| rayon::scope(|scope| produce(scope, &ran, d, n, steps)));
                ran.sum()
            })
        }
        "loop" => loop_program(pool, p),
        _ => Err(Failure::Cannot(format!("no program for {kernel}"))),
    }
}

fn main() {
    take_turns(make);
}
