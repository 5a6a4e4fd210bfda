//! Maps of free and blocked cells: read from a `.map` of the Moving AI benchmarks or generated, and
//! merged into boxes.
//!
//! Cell (column, row) is the box from (column, row) to (column + 1, row + 1).

use std::path::Path;

/// Most cells along a side: more than in the benchmarks, and exact as f32 coordinates.
const SIDE_MAX: usize = 1 << 16;
/// Cells along a side of a room of the generated map, walls included.
const ROOM: usize = 16;

/// `[min_x, min_y, max_x, max_y]`.
type Box4 = [f32; 4];

/// Free and blocked cells of a game map. A cell is one unit, y grows downward, and everything
/// outside the map is blocked.
#[derive(Clone, Debug)]
pub struct Map {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    blocked: Vec<bool>,
}

impl Map {
    /// Reads a `.map`: four lines of header (`type octile`, `height H`, `width W`, `map`), then H
    /// lines of W cells. `.`, `G` and `S` are free; `@`, `O`, `T` and `W` are blocked.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is no such map; the error names the file and the line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // What is not UTF-8 is no cell either, so its line becomes the error.
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text).map_err(|(line, reason)| format!("{}:{line}: {reason}", path.display()))
    }

    /// As [`read`](Self::read), from text.
    ///
    /// # Errors
    ///
    /// If the text is no such map: the number of the line, from 1, and the reason.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut lines = (1..).zip(text.lines());
        let mut header = |key: &str| {
            let (number, line) = lines.next().unwrap_or((text.lines().count() + 1, ""));
            let value = line.strip_prefix(key).map(str::trim).map(str::to_owned);
            let value = value.ok_or_else(|| (number, format!("expected \"{key}\", found {line:?}")))?;
            Ok::<_, (usize, String)>((number, value))
        };
        header("type")?;
        let side = |(number, value): (usize, String)| {
            let side = value.parse::<usize>().ok().filter(|side| (1..=SIDE_MAX).contains(side));
            side.ok_or_else(|| (number, format!("expected a number from 1 to {SIDE_MAX}, found {value:?}")))
        };
        let height = side(header("height")?)?;
        let width = side(header("width")?)?;
        header("map")?;
        let mut blocked = Vec::new();
        for row in 0..height {
            let Some((number, line)) = lines.next() else {
                return Err((text.lines().count() + 1, format!("expected {height} rows of cells, found {row}")));
            };
            let cells = line.chars().count();
            if cells != width {
                return Err((number, format!("expected {width} cells, found {cells}")));
            }
            for (column, cell) in line.chars().enumerate() {
                blocked.push(match cell {
                    '.' | 'G' | 'S' => false,
                    '@' | 'O' | 'T' | 'W' => true,
                    _ => return Err((number, format!("cell {} is {cell:?}, expected one of .GS@OTW", column + 1))),
                });
            }
        }
        match lines.find(|(_, line)| !line.trim().is_empty()) {
            Some((number, _)) => Err((number, format!("expected nothing after {height} rows of cells"))),
            None => Ok(Self { width, height, blocked }),
        }
    }

    /// Generates a palace: rooms with doors to all sides, some with pillars.
    pub fn palace(rooms_across: usize, rooms_down: usize) -> Self {
        let (width, height) = (rooms_across * ROOM + 1, rooms_down * ROOM + 1);
        let cell = |k: usize| {
            let (column, row) = (k % width, k / width);
            let (x, y) = (column % ROOM, row % ROOM);
            let (room, story) = (column / ROOM, row / ROOM);
            // Doors are three cells wide, and not opposite each other.
            let door = |place: usize, wall: usize| (1..=3).contains(&((place + 5 * wall) % (ROOM - 3)));
            let wall = (x == 0 && !door(y, room + story)) || (y == 0 && !door(x, room + 2 * story));
            let edge = column == 0 || row == 0 || column + 1 == width || row + 1 == height;
            let pillars = (room + story) % 3 == 1 && x % 4 == 0 && y % 4 == 0;
            let hall = (2 * room + story) % 5 == 2 && (5..12).contains(&x) && (7..10).contains(&y);
            edge || wall || pillars || hall
        };
        Self { width, height, blocked: (0..width * height).map(cell).collect() }
    }

    /// Whether a cell is blocked; all cells outside the map are.
    pub fn is_blocked(&self, column: i64, row: i64) -> bool {
        let inside = (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row);
        !inside || self.blocked[row as usize * self.width + column as usize]
    }

    /// The free cells, row by row.
    pub fn free_cells(&self) -> Vec<[u32; 2]> {
        let cells = (0..self.height as u32).flat_map(|row| (0..self.width as u32).map(move |column| [column, row]));
        cells.zip(&self.blocked).filter(|(_, blocked)| !**blocked).map(|(cell, _)| cell).collect()
    }

    /// Merges the blocked cells into boxes that cover each of them once, no free cell, and a frame
    /// of one cell around the map.
    ///
    /// Greedy: the first blocked cell that is not covered yet begins a box, as wide as its run of
    /// such cells and as high as the rows below repeat that run.
    pub fn walls(&self) -> Vec<Box4> {
        let (width, height) = (self.width, self.height);
        let (right, bottom) = (width as f32, height as f32);
        let mut walls = vec![
            [-1.0, -1.0, right + 1.0, 0.0],
            [-1.0, bottom, right + 1.0, bottom + 1.0],
            [-1.0, 0.0, 0.0, bottom],
            [right, 0.0, right + 1.0, bottom],
        ];
        let mut open = self.blocked.clone();
        for row in 0..height {
            let mut column = 0;
            while column < width {
                let begin = row * width + column;
                let run = open[begin..(row + 1) * width].iter().take_while(|&&cell| cell).count();
                if run == 0 {
                    column += 1;
                    continue;
                }
                let mut end_row = row;
                while end_row < height && open[end_row * width + column..][..run].iter().all(|&cell| cell) {
                    open[end_row * width + column..][..run].fill(false);
                    end_row += 1;
                }
                walls.push([column as f32, row as f32, (column + run) as f32, end_row as f32]);
                column += run;
            }
        }
        walls
    }

    /// The first blocked cell whose interior overlaps the box. Exact, since cells have
    /// integer coordinates.
    pub fn blocked_cell_in(&self, [min_x, min_y, max_x, max_y]: Box4) -> Option<[i64; 2]> {
        let columns = min_x.floor() as i64..max_x.ceil() as i64;
        let mut rows = min_y.floor() as i64..max_y.ceil() as i64;
        rows.find_map(|row| columns.clone().find(|&column| self.is_blocked(column, row)).map(|column| [column, row]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_cover_blocked_cells_once() {
        let map = Map::palace(3, 2);
        let walls = map.walls();
        for row in -1..=map.height as i64 {
            for column in -1..=map.width as i64 {
                let middle = [column as f32 + 0.5, row as f32 + 0.5];
                let inside = |w: &&Box4| (w[0]..w[2]).contains(&middle[0]) && (w[1]..w[3]).contains(&middle[1]);
                let covered = walls.iter().filter(inside).count();
                assert_eq!(covered, usize::from(map.is_blocked(column, row)), "cell ({column}, {row})");
            }
        }
    }

    #[test]
    fn equal_runs_are_merged() {
        let map = Map::parse("type octile\nheight 3\nwidth 4\nmap\n@@..\n@@.T\n..WW\n").unwrap();
        let walls = map.walls();
        assert_eq!(walls[4..], [[0.0, 0.0, 2.0, 2.0], [3.0, 1.0, 4.0, 3.0], [2.0, 2.0, 3.0, 3.0]]);
    }

    #[test]
    fn invalid_map_is_an_error_with_its_line() {
        let header = "type octile\nheight 2\nwidth 3\nmap\n";
        let bad = [
            ("", 1),
            ("type octile\nheight x\n", 2),
            ("type octile\nheight 2\nwidth 0\nmap\n", 3),
            (&format!("{header}...\n"), 6),
            (&format!("{header}...\n..\n"), 6),
            (&format!("{header}.?.\n...\n"), 5),
            (&format!("{header}...\n...\n...\n"), 7),
        ];
        for (text, line) in bad {
            assert_eq!(Map::parse(text).map(|_| ()).map_err(|(line, _)| line), Err(line), "{text:?}");
        }
        assert!(Map::parse(&format!("{header}...\r\n.@.\r\n\n")).is_ok());
    }

    #[test]
    fn touching_a_blocked_cell_is_free() {
        let map = Map::parse("type octile\nheight 1\nwidth 2\nmap\n.@\n").unwrap();
        assert_eq!(map.blocked_cell_in([0.0, 0.0, 1.0, 1.0]), None);
        assert_eq!(map.blocked_cell_in([0.5, 0.0, 1.0f32.next_up(), 1.0]), Some([1, 0]));
        assert_eq!(map.blocked_cell_in([0.0, 0.0f32.next_down(), 1.0, 1.0]), Some([0, -1]));
    }
}
