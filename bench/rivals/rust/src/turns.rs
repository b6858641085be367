//! A rival's side of the conversation that bench/rivals/turns.hpp describes.

use std::collections::HashMap;
use std::io::BufRead;
use std::time::Instant;

/// The kernel's parameters, by their names.
pub struct Parameters(HashMap<String, String>);

impl Parameters {
    pub fn word(&self, name: &str) -> Result<&str, Failure> {
        let found = self.0.get(name).map(String::as_str);
        found.ok_or_else(|| Failure::Bad(format!("{name}: is missing")))
    }

    pub fn number(&self, name: &str) -> Result<f64, Failure> {
        let text = self.word(name)?;
        text.parse().map_err(|_| Failure::Bad(format!("{name} = '{text}': must be a number")))
    }

    pub fn integer(&self, name: &str) -> Result<i64, Failure> {
        let text = self.word(name)?;
        text.parse().map_err(|_| Failure::Bad(format!("{name} = '{text}': must be a whole number")))
    }

    /// There is no work that waits by the clock.
    pub fn refuse_clock(&self) -> Result<(), Failure> {
        match self.word("clock")? {
            "true" => Err(Failure::Cannot("no tasks that wait by the clock".into())),
            _ => Ok(()),
        }
    }

    /// Steps of `busy_loop::run` that take as long as the parameter `us` says.
    pub fn steps(&self) -> Result<u64, Failure> {
        self.refuse_clock()?;
        Ok((self.number("us")? * 1e3 / self.number("ns_per_step")?).round() as u64)
    }
}

/// Why there is no program.
pub enum Failure {
    /// The library has none for this kernel.
    Cannot(String),
    /// The parameters are wrong.
    Bad(String),
}

/// What one turn took, in seconds, and found.
pub struct Turn {
    pub seconds: f64,
    pub found: u64,
}

/// A kernel that is ready to run.
pub type Program = Box<dyn FnMut() -> Turn>;

/// Calls `f`, which returns what it found.
pub fn timed(f: impl FnOnce() -> u64) -> Turn {
    let start = Instant::now();
    let found = f();
    Turn { seconds: start.elapsed().as_secs_f64(), found }
}

/// The program that is `f`.
pub fn program(mut f: impl FnMut() -> u64 + 'static) -> Result<Program, Failure> {
    Ok(Box::new(move || timed(&mut f)))
}

/// The main function of a rival. Ends the process where it fails.
pub fn take_turns(make: impl FnOnce(&str, &Parameters) -> Result<Program, Failure>) {
    let words: Vec<String> = std::env::args().collect();
    let made = match words.get(1) {
        Some(kernel) => parameters(&words[2..]).and_then(|p| make(kernel, &p)),
        None => Err(Failure::Bad("which kernel? usage: NAME KERNEL key=value ...".into())),
    };
    match made {
        Ok(program) => serve(program),
        Err(Failure::Cannot(why)) => println!("cannot {why}"),
        Err(Failure::Bad(what)) => fail(&format!("{}: {what}", words[0])),
    }
}

fn parameters(words: &[String]) -> Result<Parameters, Failure> {
    let pair = |word: &String| match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err(Failure::Bad(format!("'{word}': must be key=value"))),
    };
    words.iter().map(pair).collect::<Result<_, _>>().map(Parameters)
}

fn serve(mut run: Program) {
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        match line.as_deref() {
            Ok("run") => {
                let turn = run();
                println!("{:.9} {}", turn.seconds, turn.found);
            }
            Ok(other) => fail(&format!("'{other}': must be 'run'")),
            Err(_) => return,
        }
    }
}

fn fail(what: &str) -> ! {
    eprintln!("{what}");
    std::process::exit(2);
}
