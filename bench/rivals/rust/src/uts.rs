//! The trees of UTS, as in kernels/uts_tree.hpp and kernels/uts_hash.hpp, with the same hash of nettle.

use crate::turns::{Failure, Parameters};

#[link(name = "nettle")]
extern "C" {
    fn nettle_sha1_compress(state: *mut u32, input: *const u8);
}

const CHILDREN_MAX: u32 = 100;
const DEPTHS: u32 = 4096; // those further down are computed anew

/// A node: the words of its digest.
#[derive(Clone, Copy, Default)]
pub struct State([u32; 5]);

impl State {
    fn random(&self) -> u32 {
        self.0[4] & 0x7fff_ffff
    }
}

// Lies as the compression function loads it: in quarters.
#[repr(align(16))]
#[derive(Clone, Copy, Default)]
struct Quad([u32; 4]);

/// Hashes the children of one node.
pub struct ChildHash([Quad; 4]);

const PADDING: u32 = 0x8000_0000;

impl ChildHash {
    pub fn new(parent: &State) -> ChildHash {
        let [a, b, c, d, e] = parent.0.map(u32::to_be);
        let bits = (24 * 8_u32).to_be();
        ChildHash([Quad([a, b, c, d]), Quad([e, 0, PADDING.to_be(), 0]), Quad::default(), Quad([0, 0, 0, bits])])
    }

    pub fn child(&mut self, index: u32) -> State {
        self.0[1] = Quad([self.0[1].0[0], index.to_be(), PADDING.to_be(), 0]);
        self.compress()
    }

    fn root(seed: u32) -> State {
        let second = Quad([seed.to_be(), PADDING.to_be(), 0, 0]);
        ChildHash([Quad::default(), second, Quad::default(), Quad([0, 0, 0, (20 * 8_u32).to_be()])]).compress()
    }

    fn compress(&self) -> State {
        let mut digest = State([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]);
        // SAFETY: five words of state and sixty-four bytes of input, as the function wants them.
        unsafe { nettle_sha1_compress(digest.0.as_mut_ptr(), self.0.as_ptr().cast()) };
        digest
    }
}

/// A tree, and what follows from its parameters for all nodes.
pub struct Tree {
    form: i64,
    depth: f64,
    branching: f64,
    seed: u32,
    geometric_depth_end: u32,
    root_children: u32,
    inner_children: u32,
    inner_below: f64,
    log_more: Vec<f64>,
}

impl Tree {
    pub fn new(p: &Parameters) -> Result<Tree, Failure> {
        let (kind, depth, branching) = (p.integer("t")?, p.integer("d")?, p.number("b")?);
        let mut tree = Tree {
            form: p.integer("a")?,
            depth: depth as f64,
            branching,
            seed: p.integer("r")? as u32,
            geometric_depth_end: match kind {
                0 => 0,
                1 => u32::MAX,
                _ => ((depth + 1) / 2) as u32,
            },
            root_children: if kind == 0 { branching.floor() as u32 } else { 0 },
            inner_children: p.integer("m")?.min(i64::from(CHILDREN_MAX)) as u32,
            inner_below: p.number("q")? * 2_f64.powi(31),
            log_more: Vec::new(),
        };
        if kind != 0 {
            tree.log_more = (0..(5 * depth + 2).min(i64::from(DEPTHS)) as u32).map(|d| tree.log_more_at(d)).collect();
        }
        Ok(tree)
    }

    pub fn root(&self) -> State {
        ChildHash::root(self.seed)
    }

    /// How many children a node at this depth has.
    #[inline]
    pub fn children(&self, node: &State, depth: u32) -> u32 {
        if depth >= self.geometric_depth_end {
            return match depth {
                0 => self.root_children,
                _ if f64::from(node.random()) < self.inner_below => self.inner_children,
                _ => 0,
            };
        }
        let log_more = self.log_more.get(depth as usize).copied().unwrap_or_else(|| self.log_more_at(depth));
        // Without a logarithm below zero: as many as a node may have.
        if log_more >= 0.0 || log_more.is_nan() {
            return CHILDREN_MAX;
        }
        let u = f64::from(node.random()) * 2_f64.powi(-31);
        let drawn = (1.0 - u).ln() / log_more;
        if drawn < f64::from(CHILDREN_MAX) { drawn as u32 } else { CHILDREN_MAX }
    }

    // The logarithm of the chance that a node at this depth has one child more.
    fn log_more_at(&self, depth: u32) -> f64 {
        let (b, level, levels) = (self.branching, f64::from(depth), self.depth);
        let target = match self.form {
            _ if depth == 0 => b,
            0 => (b * (1.0 - level / levels)).max(0.0),
            1 => b * level.powf(-b.ln() / levels.ln()),
            2 if level > 5.0 * levels => 0.0,
            2 => b.powf((2.0 * std::f64::consts::PI * level / levels).sin()),
            _ if level < levels => b,
            _ => 0.0,
        };
        (1.0 - 1.0 / (1.0 + target)).ln()
    }
}
