// The tree of the folder as bytes, in the form of `engine/src/snapshot.rs`.

/** Packs entries `{path, kind, bytes, modified}`. */
export function pack(entries) {
  const table = new TextEncoder().encode(
    JSON.stringify(
      entries.map(({ path, kind = "file", bytes, modified }) => ({
        path,
        kind,
        size: bytes?.length ?? 0,
        modified: modified ?? null,
      })),
    ),
  );
  const packed = new Uint8Array(4 + table.length + entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0));
  new DataView(packed.buffer).setUint32(0, table.length, true);
  packed.set(table, 4);
  let at = 4 + table.length;
  for (const { bytes } of entries) {
    if (!bytes) continue;
    packed.set(bytes, at);
    at += bytes.length;
  }
  return packed;
}

/** Returns the entries of a snapshot, with `bytes` for files. */
export function unpack(packed) {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const rows = JSON.parse(new TextDecoder().decode(packed.subarray(4, 4 + length)));
  let at = 4 + length;
  return rows.map((row) => {
    const bytes = row.kind === "file" ? packed.subarray(at, at + row.size) : undefined;
    at += row.size;
    return { ...row, bytes };
  });
}
