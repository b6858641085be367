//! The board of N-Queens, as in kernels/nqueens_board.hpp.

const SIZE_MAX: usize = 18;

/// The queens so far, one in each row from the first.
#[derive(Clone, Copy)]
pub struct Board {
    size: i32,
    rows: i32,
    column_of: [i8; SIZE_MAX],
}

impl Board {
    pub fn new(size: i32) -> Board {
        Board { size, rows: 0, column_of: [0; SIZE_MAX] }
    }

    pub fn full(&self) -> bool {
        self.rows == self.size
    }

    fn free(&self, column: i32) -> bool {
        (0..self.rows).zip(&self.column_of).all(|(row, &taken)| {
            let distance = i32::from(taken) - column;
            distance != 0 && distance != self.rows - row && distance != row - self.rows
        })
    }

    /// The first free column of the next row from `column` on; none where there is none.
    pub fn next_free(&self, column: i32) -> Option<i32> {
        (column..self.size).find(|&c| self.free(c))
    }

    pub fn with(&self, column: i32) -> Board {
        let mut next = *self;
        next.column_of[self.rows as usize] = column as i8;
        next.rows += 1;
        next
    }
}
