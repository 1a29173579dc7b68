//! Cuts bytes into texts.

/// The `N` texts between zero bytes; what is missing is empty, what is no text is replaced.
pub fn texts<const N: usize>(data: &[u8]) -> [String; N] {
    let mut parts = data.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned())
}
