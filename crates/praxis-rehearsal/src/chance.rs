//! Seeded pseudo-random numbers.

/// A splitmix64 generator.
#[derive(Clone, Debug)]
pub struct SeededChance(u64);

impl SeededChance {
    /// Creates the generator from a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        // An `f64` holds 53 bits of precision.
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with this probability. Always draws, so the numbers that follow do not depend on the probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number below `bound`, or zero if `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let drawn = self.draw().checked_rem(bound as u64).unwrap_or(0);
        usize::try_from(drawn).unwrap_or(0)
    }

    /// Returns a standard normal deviate.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_chance() {
        // The published first outputs of splitmix64 for seed 0.
        let mut chance = SeededChance::of(0);
        assert_eq!([chance.draw(), chance.draw()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn chance_is_spread_as_it_should_be() {
        let mut chance = SeededChance::of(7);
        let often = (0..10_000).filter(|_| chance.happens(0.2)).count();
        assert!((1900..2100).contains(&often), "{often}");
        let deviates: Vec<f64> = (0..10_000).map(|_| chance.normal()).collect();
        let mean = deviates.iter().sum::<f64>() / 10_000.0;
        let inside = deviates.iter().filter(|z| z.abs() < 1.0).count();
        assert!(mean.abs() < 0.05 && (6600..7000).contains(&inside), "{mean} {inside}");
        assert!((0..100).all(|_| chance.below(3) < 3) && chance.below(0) == 0);
        assert!(!chance.happens(0.0) && chance.happens(1.0));
    }
}
