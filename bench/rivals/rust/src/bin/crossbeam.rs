//! Channels of crossbeam; it has no tasks.

use std::thread;

use crossbeam_channel::{bounded, Receiver};

use rivals::turns::{program, take_turns, Failure, Parameters, Program};

/// What one run sends. Messages are 1, 2, ... `messages`.
#[derive(Clone, Copy)]
struct Traffic {
    messages: u64,
    room: usize,
}

fn sum_of(from: &Receiver<u64>) -> u64 {
    from.iter().sum()
}

/// The caller receives, and so do threads, if there are to be more receivers.
fn spread(t: Traffic, senders: u64, receivers: u64) -> u64 {
    let (to, from) = bounded::<u64>(t.room);
    thread::scope(|s| {
        for first in 1..=senders {
            let to = to.clone();
            s.spawn(move || {
                for m in (first..=t.messages).step_by(senders as usize) {
                    to.send(m).unwrap();
                }
            });
        }
        drop(to);
        let others: Vec<_> = (1..receivers).map(|_| s.spawn(|| sum_of(&from))).collect();
        let mine = sum_of(&from);
        others.into_iter().fold(mine, |sum, other| sum + other.join().unwrap())
    })
}

/// Each message goes to another thread and comes back before the next one.
fn play(t: Traffic) -> u64 {
    let (there, from_there) = bounded::<u64>(t.room);
    let (back, from_back) = bounded::<u64>(t.room);
    thread::scope(|s| {
        s.spawn(move || {
            for m in from_there {
                back.send(m).unwrap();
            }
        });
        let mut sum = 0;
        for m in 1..=t.messages {
            there.send(m).unwrap();
            sum += from_back.recv().unwrap();
        }
        drop(there);
        sum
    })
}

fn make(kernel: &str, p: &Parameters) -> Result<Program, Failure> {
    if kernel != "channel" {
        return Err(Failure::Cannot(format!("no program for {kernel}")));
    }
    let t = Traffic { messages: p.integer("messages")? as u64, room: p.integer("room")? as usize };
    let senders = p.integer("senders")? as u64;
    match p.word("shape")? {
        "pair" => program(move || spread(t, 1, 1)),
        "to-one" => program(move || spread(t, senders, 1)),
        "among" => program(move || spread(t, senders, senders)),
        "ball" => program(move || play(t)),
        other => Err(Failure::Bad(format!("shape = '{other}': must be pair, to-one, among or ball"))),
    }
}

fn main() {
    take_turns(make);
}
