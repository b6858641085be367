//! chili's joins; it has nothing else.

use std::num::NonZero;

use chili::{Config, Scope, ThreadPool};

use rivals::busy_loop;
use rivals::queens::Board;
use rivals::turns::{program, take_turns, Failure, Parameters, Program};
use rivals::uts::{ChildHash, State, Tree};

fn fib(scope: &mut Scope, n: i64) -> u64 {
    if n < 2 {
        return n as u64;
    }
    let (a, b) = scope.join(|s| fib(s, n - 1), |s| fib(s, n - 2));
    a + b
}

fn treerec(scope: &mut Scope, n: i64, steps: u64) -> u64 {
    if n < 2 {
        busy_loop::run(steps);
        return 1;
    }
    let (a, b) = scope.join(|s| treerec(s, n - 1, steps), |s| treerec(s, n - 2, steps));
    a + b
}

fn queens(scope: &mut Scope, b: &Board, column: i32) -> u64 {
    if b.full() {
        return 1;
    }
    let Some(column) = b.next_free(column) else { return 0 };
    let (here, further) = scope.join(|s| queens(s, &b.with(column), 0), |s| queens(s, b, column + 1));
    here + further
}

fn visit_row(scope: &mut Scope, tree: &Tree, row: &[State], depth: u32) -> u64 {
    match row {
        [] => 0,
        [only] => visit(scope, tree, only, depth),
        [first, others @ ..] => {
            let (a, b) =
                scope.join(|s| visit(s, tree, first, depth), |s| visit_row(s, tree, others, depth));
            a + b
        }
    }
}

fn visit(scope: &mut Scope, tree: &Tree, node: &State, depth: u32) -> u64 {
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
        found += visit_row(scope, tree, &row[..many], depth + 1);
    }
    found
}

fn make(kernel: &str, p: &Parameters) -> Result<Program, Failure> {
    let workers = p.integer("workers")?; // of which the caller is one
    let pool = ThreadPool::with_config(Config { thread_count: NonZero::new(workers as usize), ..Config::default() });
    match kernel {
        "fib" => {
            let n = p.integer("n")?;
            program(move || fib(&mut pool.scope(), n))
        }
        "treerec" => {
            let (n, steps) = (p.integer("n")?, p.steps()?);
            program(move || treerec(&mut pool.scope(), n, steps))
        }
        "nqueens" => {
            let empty = Board::new(p.integer("n")? as i32);
            program(move || queens(&mut pool.scope(), &empty, 0))
        }
        "uts" if p.word("construct")? == "fork" => {
            let tree = Tree::new(p)?;
            program(move || visit(&mut pool.scope(), &tree, &tree.root(), 0))
        }
        "uts" => Err(Failure::Cannot("no tasks but forks: --construct fork".into())),
        _ => Err(Failure::Cannot(format!("no program for {kernel}"))),
    }
}

fn main() {
    take_turns(make);
}
