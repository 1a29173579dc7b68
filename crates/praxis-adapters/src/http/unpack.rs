//! Decompresses a response as it arrives: one layer of gzip or zlib.
//!
//! - in: the name of a content coding, then bytes
//! - out: the decompressed bytes
//! - never: keeps more than the limit, or continues with a decompression bomb

use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, Write};

/// The maximum ratio of decompressed to compressed size, for results larger than [`FREE`].
const MAX_RATIO: u64 = 250;
/// The decompressed size in bytes up to which the ratio is not checked.
const FREE: u64 = 1024 * 1024;

/// The reason for which a response cannot be kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UnpackError {
    /// The response is larger than the limit.
    TooLarge,
    /// The response is damaged, has an unsupported coding, or is a decompression bomb.
    Broken(String),
}

/// A streaming decoder.
pub(super) struct Unpacker(Coding);

enum Coding {
    Plain(UnpackedBody),
    Gzip(Box<MultiGzDecoder<UnpackedBody>>),
    Zlib(Box<Zlib>),
}

impl Unpacker {
    /// Creates a decoder for a coding and a limit in bytes.
    pub(super) fn new(coding: Option<&str>, most: u64) -> Result<Self, UnpackError> {
        let kept = UnpackedBody { bytes: Vec::new(), most, packed: 0, flaw: None };
        match coding.map(str::to_ascii_lowercase).as_deref() {
            None => Ok(Self(Coding::Plain(kept))),
            Some("gzip" | "x-gzip") => Ok(Self(Coding::Gzip(Box::new(MultiGzDecoder::new(kept))))),
            Some("deflate") => Ok(Self(Coding::Zlib(Box::new(Zlib::new(kept))))),
            Some(other) if other.contains(',') => {
                Err(UnpackError::Broken(format!("it is compressed more than once ({other})")))
            }
            Some(other) => Err(UnpackError::Broken(format!(
                "it is compressed ({other}), which was not asked for"
            ))),
        }
    }

    /// Takes the next bytes of the response.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), UnpackError> {
        self.kept_mut().packed += bytes.len() as u64;
        let written = match &mut self.0 {
            Coding::Plain(kept) => kept.write_all(bytes),
            Coding::Gzip(decoder) => decoder.write_all(bytes),
            Coding::Zlib(decoder) => decoder.feed(bytes),
        };
        written.map_err(|error| self.why(&error))
    }

    /// Returns the whole body; fails if it is truncated.
    pub(super) fn end(mut self) -> Result<Vec<u8>, UnpackError> {
        // An empty body is accepted whatever its coding is.
        let has_body = self.kept().packed > 0;
        let ended = match &mut self.0 {
            Coding::Gzip(_) | Coding::Zlib(_) if !has_body => Ok(()),
            Coding::Plain(_) => Ok(()),
            Coding::Gzip(decoder) => decoder.try_finish(),
            Coding::Zlib(decoder) => decoder.end(),
        };
        ended.map_err(|error| self.why(&error))?;
        Ok(self.so_far())
    }

    /// Returns what has been decompressed so far.
    pub(super) fn so_far(&mut self) -> Vec<u8> {
        if let Coding::Gzip(decoder) = &mut self.0 {
            // Flushes what the decoder still buffers; an error does not matter here.
            let _ = decoder.flush();
        }
        std::mem::take(&mut self.kept_mut().bytes)
    }

    fn kept(&self) -> &UnpackedBody {
        match &self.0 {
            Coding::Plain(kept) => kept,
            Coding::Gzip(decoder) => decoder.get_ref(),
            Coding::Zlib(decoder) => &decoder.kept,
        }
    }

    fn kept_mut(&mut self) -> &mut UnpackedBody {
        match &mut self.0 {
            Coding::Plain(kept) => kept,
            Coding::Gzip(decoder) => decoder.get_mut(),
            Coding::Zlib(decoder) => &mut decoder.kept,
        }
    }

    fn why(&self, error: &io::Error) -> UnpackError {
        let name = if matches!(self.0, Coding::Gzip(_)) { "gzip" } else { "deflate" };
        match self.kept().flaw {
            Some(UnpackFlaw::TooLarge) => UnpackError::TooLarge,
            Some(UnpackFlaw::Trap) => UnpackError::Broken(format!(
                "it is compressed ({name}) and unpacks to more than {MAX_RATIO} times its size"
            )),
            None => UnpackError::Broken(format!("it is compressed ({name}) and broken: {error}")),
        }
    }
}

/// The decompressed bytes.
struct UnpackedBody {
    bytes: Vec<u8>,
    most: u64,
    packed: u64,
    flaw: Option<UnpackFlaw>,
}

#[derive(Clone, Copy)]
enum UnpackFlaw {
    TooLarge,
    Trap,
}

impl Write for UnpackedBody {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let length = (self.bytes.len() + more.len()) as u64;
        if length > self.most {
            self.flaw = Some(UnpackFlaw::TooLarge);
        } else if length > FREE && length / MAX_RATIO > self.packed {
            self.flaw = Some(UnpackFlaw::Trap);
        }
        if self.flaw.is_some() {
            let most = usize::try_from(self.most).unwrap_or(usize::MAX);
            let room = most.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(more.get(..room).unwrap_or_default());
            return Err(io::Error::other("too much"));
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A zlib decoder that knows whether the stream has ended, which flate2's writer does not report.
struct Zlib {
    kept: UnpackedBody,
    state: Decompress,
    ended: bool,
}

impl Zlib {
    fn new(kept: UnpackedBody) -> Self {
        Self { kept, state: Decompress::new(true), ended: false }
    }

    fn feed(&mut self, mut packed: &[u8]) -> io::Result<()> {
        let mut room = vec![0; 32 * 1024];
        while !self.ended {
            let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(packed, &mut room, FlushDecompress::None)?;
            let taken = usize::try_from(self.state.total_in() - before_in).unwrap_or_default();
            let given = usize::try_from(self.state.total_out() - before_out).unwrap_or_default();
            packed = packed.get(taken..).unwrap_or_default();
            self.kept.write_all(room.get(..given).unwrap_or_default())?;
            self.ended = status == Status::StreamEnd;
            if taken == 0 && given == 0 {
                break;
            }
        }
        if self.ended && !packed.is_empty() {
            return Err(io::Error::other("something follows its end"));
        }
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        if self.ended { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    fn packed(coding: &str, text: &[u8]) -> Vec<u8> {
        if coding == "gzip" {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).unwrap();
            return encoder.finish().unwrap();
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(coding: &str, pieces: &[&[u8]], most: u64) -> Result<Vec<u8>, UnpackError> {
        let mut unpacker = Unpacker::new(Some(coding), most)?;
        pieces.iter().try_for_each(|piece| unpacker.feed(piece))?;
        unpacker.end()
    }

    #[test]
    fn a_packed_text_comes_back_in_whatever_pieces_it_comes() {
        for coding in ["gzip", "deflate"] {
            let bytes = packed(coding, b"[1, 2, 3]");
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(unpacked(coding, &single, 100).unwrap(), b"[1, 2, 3]", "{coding}");
            assert_eq!(unpacked(coding, &[&bytes], 9).unwrap(), b"[1, 2, 3]", "{coding}");
            assert_eq!(unpacked(coding, &[&bytes], 8), Err(UnpackError::TooLarge), "{coding}");
            assert_eq!(unpacked(coding, &[], 8).unwrap(), b"", "{coding}");
        }
    }

    #[test]
    fn a_packed_text_that_was_cut_or_changed_anywhere_is_never_taken_for_whole() {
        for coding in ["gzip", "deflate"] {
            let bytes = packed(coding, b"[1, 2, 3]");
            for cut in 1..bytes.len() {
                let ended = unpacked(coding, &[&bytes[..cut]], 100);
                assert!(matches!(ended, Err(UnpackError::Broken(_))), "{coding} {cut}: {ended:?}");
            }
            let more = [&bytes[..], b"x"].concat();
            assert!(
                matches!(unpacked(coding, &[&more], 100), Err(UnpackError::Broken(_))),
                "{coding}"
            );
            for at in [0, bytes.len() / 2, bytes.len() - 1] {
                let mut changed = bytes.clone();
                changed[at] ^= 0xff;
                assert!(unpacked(coding, &[&changed], 100).is_err(), "{coding} {at}");
            }
        }
    }

    #[test]
    fn few_bytes_that_become_very_many_are_a_trap() {
        for coding in ["gzip", "deflate"] {
            let bytes = packed(coding, &vec![0; 4 * 1024 * 1024]);
            let Err(UnpackError::Broken(why)) = unpacked(coding, &[&bytes], 1 << 40) else {
                panic!()
            };
            assert!(why.contains("250 times"), "{why}");
            let small = packed(coding, &vec![0; 1024 * 1024]);
            assert!(unpacked(coding, &[&small], 1 << 40).is_ok(), "{coding}");
        }
        for coding in ["gzip, gzip", "br", "zstd", "exi"] {
            assert!(matches!(unpacked(coding, &[], 10), Err(UnpackError::Broken(_))), "{coding}");
        }
    }
}
