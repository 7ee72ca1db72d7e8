//! `HASH.Sha256`, `HASH.Sha512`, `HASH.Sha1`, `HASH.Md5`, `HASH.Crc32`.

use sha2::Digest;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, work};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::{FORMS, bytes_of, encode};

const SHA256: Spec = Spec::pure(
    "HASH.Sha256",
    "hash_sha256",
    "Hashes a text with SHA-256",
    "Hashes the UTF-8 bytes of the text, or the bytes that it encodes as base64 or hexadecimal digits. \
        `FS.HashFile` hashes files.",
    Example {
        script: "EMIT HASH.Sha256(\"hello\")",
        output: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n",
    },
)
.keywords(&[
    "sha256",
    "hashlib.sha256",
    "sha256.Sum256",
    "checksum",
    "hash text",
    "digest",
    "crypto.createHash",
    "hash",
]);
const SHA512: Spec = Spec::pure(
    "HASH.Sha512",
    "hash_sha512",
    "Hashes a text with SHA-512",
    "As `HASH.Sha256`.",
    Example { script: "EMIT STR.Sub(HASH.Sha512(\"hello\"), 0, 16)", output: "9b71d224bd62f378\n" },
)
.keywords(&["sha512", "hashlib.sha512"]);
const SHA1: Spec = Spec::pure(
    "HASH.Sha1",
    "hash_sha1",
    "Hashes a text with SHA-1, for what still requires it",
    "Like `HASH.Sha256`. Texts with the same SHA-1 can be made: do not trust it.",
    Example { script: "EMIT HASH.Sha1(\"hello\")", output: "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d\n" },
)
.keywords(&["sha1", "hashlib.sha1"]);
const MD5: Spec = Spec::pure(
    "HASH.Md5",
    "hash_md5",
    "Hashes a text with MD5, for what still requires it",
    "Like `HASH.Sha256`. Texts with the same MD5 are easily made: do not trust it.",
    Example { script: "EMIT HASH.Md5(\"hello\")", output: "5d41402abc4b2a76b9719d911017c592\n" },
)
.keywords(&["md5", "hashlib.md5", "md5.Sum"]);
const CRC32: Spec = Spec::pure(
    "HASH.Crc32",
    "hash_crc32",
    "Returns the CRC-32 of a text, as in ZIP and gzip",
    "Like `HASH.Sha256`; a checksum against accidents only.",
    Example { script: "EMIT HASH.Crc32(\"hello\")", output: "3610a686\n" },
)
.keywords(&["crc32", "zlib.crc32", "binascii.crc32"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "text, or bytes as text";
        encoding: Str = Is(Literal::Text("utf-8")), Kind::Word(FORMS), "how the text stands for bytes";
        format: Str = Is(Literal::Text("hex")), Kind::Word(&["hex", "base64"]), "how the result is written";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SHA256, |context, args: Args| digest::<sha2::Sha256>(context, &args)),
        Tool::new(SHA512, |context, args: Args| digest::<sha2::Sha512>(context, &args)),
        Tool::new(SHA1, |context, args: Args| digest::<sha1::Sha1>(context, &args)),
        Tool::new(MD5, |context, args: Args| digest::<md5::Md5>(context, &args)),
        Tool::new(CRC32, |context, args: Args| {
            hashed(context, &args, |pieces| {
                let mut crc = flate2::Crc::new();
                for piece in pieces {
                    crc.update(piece?);
                }
                Ok(crc.sum().to_be_bytes().to_vec())
            })
        }),
    ]
}

fn digest<D: Digest>(context: &mut Context<'_>, args: &Args) -> Result<Str, ToolError> {
    hashed(context, args, |pieces| {
        let mut digest = D::new();
        for piece in pieces {
            digest.update(piece?);
        }
        Ok(digest.finalize().to_vec())
    })
}

/// Hashes the bytes of a text in pieces that are charged.
fn hashed(
    context: &mut Context<'_>,
    args: &Args,
    hash: impl Fn(&mut dyn Iterator<Item = Result<&[u8], LimitHit>>) -> Result<Vec<u8>, LimitHit>,
) -> Result<Str, ToolError> {
    let (text, encoding) = (args.text.as_text(), args.encoding.as_text());
    context.spend_text(text.len())?;
    let hash = match &*encoding {
        "utf-8" => hash(&mut charged_pieces(text.as_bytes()))?,
        encoding => hash(&mut charged_pieces(&bytes_of(&text, encoding)?))?,
    };
    Ok(Str::new(&encode(&hash, &args.format.as_text())))
}

/// Bytes that are hashed between two charges.
const STRETCH: usize = 1 << 16;

fn charged_pieces(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8], LimitHit>> {
    bytes.chunks(STRETCH).map(|piece| work::charge_bytes(8 * piece.len()).map(|()| piece))
}
