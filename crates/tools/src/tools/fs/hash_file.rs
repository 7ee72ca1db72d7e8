//! `FS.HashFile`: docs/specs/file_system_tool.md, "Clarifying Questions".

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{OpenFile, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::super::parallel::Parallel;
use super::hashing::{HashError, Hashed, buffer, hash};

const SPEC: Spec = Spec {
    name: "FS.HashFile",
    wire: "hash_file",
    aliases: &["FS.Hash"],
    keywords: &["hash", "checksum", "sha256", "sha256sum", "fingerprint", "duplicate files", "md5sum", "Get-FileHash"],
    summary: "Computes the SHA-256 of a file",
    details: "Returns a map with `checksum` (hexadecimal) and `size`, the number of bytes read. The file is read in \
        pieces, so its size does not matter.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nEMIT FS.HashFile(\"a.txt\").checksum",
        output: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to hash, from the sandbox root";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hash {
    /// The path as given, tidied.
    path: String,
    /// SHA-256, hexadecimal.
    checksum: String,
    /// Bytes that were read.
    size: u64,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Hash, ToolError> {
    let at_path = |error: ToolError| error.argument("path").path(args.path.display());
    let OpenFile { mut file, metadata } = context.open(&args.path).map_err(at_path)?;
    context.meter.expect_bytes(metadata.size);
    let hashed = hash(&mut file, &mut buffer(), Parallel::of(context).pace());
    let Hashed { digest, size } = hashed.map_err(|error| match error {
        HashError::Io(error) => at_path(args.path.error(&error).into()),
        HashError::Limit(hit) => hit.into(),
    })?;
    Ok(Hash { path: args.path.display().to_owned(), checksum: super::hex(&digest), size })
}
