//! Towns from a file: points in clusters of a natural kind.

use std::fs;
use std::path::Path;

/// Kilometers per degree of longitude at the equator.
const KM_OF_LONGITUDE: f64 = 111.32;
/// Kilometers per degree of latitude.
const KM_OF_LATITUDE: f64 = 110.57;
/// Latitude at which both axes have the same scale, in degrees.
const TRUE_LATITUDE: f64 = 45.0;

/// Positions in km on a flat map.
#[derive(Clone, Debug)]
pub struct Towns {
    /// Positions, x to the east and y to the north.
    pub places: Vec<[f32; 2]>,
}

impl Towns {
    /// Reads lines of `lat,lon,…` in degrees, after a line of column names.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has a line of another form.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = text.lines().enumerate().skip(1);
        let place = |(k, line)| place(line).ok_or_else(|| format!("{}, line {}: {line}", path.display(), k + 1));
        Ok(Self { places: lines.map(place).collect::<Result<_, _>>()? })
    }
}

fn place(line: &str) -> Option<[f32; 2]> {
    let mut degrees = line.split(',').map(|text| text.trim().parse::<f64>().ok().filter(|value| value.is_finite()));
    let (latitude, longitude) = (degrees.next()??, degrees.next()??);
    let x = longitude * KM_OF_LONGITUDE * TRUE_LATITUDE.to_radians().cos();
    Some([x as f32, (latitude * KM_OF_LATITUDE) as f32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_places() {
        assert_eq!(place("10,0,1266"), Some([0.0, 1105.7]));
        // The cosine may be a rounding off on other platforms.
        assert!(place("0.0, -1.0").is_some_and(|[x, y]| (x + 78.715_13).abs() < 1e-4 && y == 0.0));
        assert_eq!(place("lat,lon"), None);
        assert_eq!(place("1"), None);
    }
}
