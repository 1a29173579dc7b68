//! Means with bootstrap confidence intervals.

use praxis_rehearsal::chance::SeededChance;

const DRAWS: usize = 1000;
const SEED: u64 = 20_260_401;

/// A mean and its 95 % confidence interval, by bootstrap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Returns the mean of the values with its confidence interval.
pub fn mean(values: &[f64]) -> Mean {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let mut chance = SeededChance::of(SEED);
    let mut drawn: Vec<f64> = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let one = |_| values.get(chance.below(values.len())).copied().unwrap_or_default();
        drawn.push((0..values.len()).map(one).sum::<f64>() / count);
    }
    drawn.sort_by(f64::total_cmp);
    let at = |part: usize| drawn.get(DRAWS * part / 1000).copied().unwrap_or_default();
    Mean { mean, low: at(25), high: at(975) }
}

/// Returns a seed for a case and a purpose.
pub fn seed(case: &str, purpose: u64) -> u64 {
    case.bytes().fold(SEED ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15), |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_the_number_of_values() {
        let few: Vec<f64> = (0..20).map(|at| f64::from(at % 2)).collect();
        let many: Vec<f64> = (0..2000).map(|at| f64::from(at % 2)).collect();
        let (few, many) = (mean(&few), mean(&many));
        assert!(few.low < 0.5 && few.high > 0.5 && many.low < 0.5 && many.high > 0.5);
        assert!(many.high - many.low < 0.05 && few.high - few.low > 0.3, "{few:?} {many:?}");
        assert_eq!(mean(&[]), Mean::default());
    }
}
