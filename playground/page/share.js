// Links with a script: `#1.SAMPLE.SCRIPT`, or `#2.SAMPLE.SCRIPT` compressed by deflate, and `.FILES` for files of its own,
// which is JSON: lists of path, text, time and whether the text is base64. Scripts and files are base64url.
// A link comes from anywhere: everything that is read has a bound, and a link only fills the editor.

/** Maximum number of characters of the script and the files in a link. */
export const MAX_LINK = 32_768;
/** Maximum number of characters of a link's fragment, which begins with its form and the name of a sample. */
const MAX_FRAGMENT = MAX_LINK + 40;
/** Maximum number of bytes of a script from a link, and of the text of its files. */
const MAX_SCRIPT = 262_144;
/** Maximum number of files in a link. */
const MAX_FILES = 1_000;

/** Returns the fragment for a script and the entries of a folder of its own, or `undefined` if it is too long. */
export async function fragmentOf(script, sample, entries = []) {
  const bytes = [script, ...(entries.length > 0 ? [JSON.stringify(entries.map(rowOf))] : [])].map((text) => new TextEncoder().encode(text));
  const packed = await Promise.all(bytes.map((part) => through(part, new CompressionStream("deflate-raw"), Infinity)));
  const isShorter = sum(packed) < sum(bytes);
  const text = (isShorter ? packed : bytes).map(toBase64).join(".");
  if (text.length > MAX_LINK || bytes.some((part) => part.length > MAX_SCRIPT)) return undefined;
  return `#${isShorter ? 2 : 1}.${sample}.${text}`;
}

const sum = (parts) => parts.reduce((length, part) => length + part.length, 0);

/** Reads a fragment: its script, its sample and, if it has files, the entries that they become. Throws if it is no link of ours. */
export async function scriptOf(fragment, samples) {
  const parts = fragment.length <= MAX_FRAGMENT && /^#([12])\.([a-z]{0,20})\.([A-Za-z0-9_-]*)(?:\.([A-Za-z0-9_-]*))?$/.exec(fragment);
  if (!parts) throw new Error("the link is damaged, or longer than links of the playground are");
  const [, form, sample, text, own] = parts;
  if (sample !== "" && !samples.includes(sample)) throw new Error(`the link names a sample that does not exist: ${sample}`);
  try {
    const script = await decode(form, text);
    const rows = own === undefined ? undefined : JSON.parse(await decode(form, own));
    if (rows?.length > MAX_FILES) throw new RangeError();
    return { script, sample, entries: rows?.map(entryOf) };
  } catch (error) {
    const reason = error instanceof RangeError ? "its script is too long, or its files are too many" : "its script or its files cannot be read";
    throw new Error(`the link is damaged: ${reason}`);
  }
}

async function decode(form, text) {
  let bytes = fromBase64(text);
  if (form === "2") bytes = await through(bytes, new DecompressionStream("deflate-raw"), MAX_SCRIPT);
  if (bytes.length > MAX_SCRIPT) throw new RangeError();
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Returns the row of a link for an entry of the folder. */
function rowOf({ path, kind, bytes, modified }) {
  const time = modified === undefined ? "" : new Date(modified).toISOString();
  return [kind === "folder" ? `${path}/` : path, bytes ? toBase64(bytes) : "", time, 1];
}

/** Returns the entry of the folder for a row of a link. The engine checks its path. */
function entryOf([path, text, modified, isBase64]) {
  if (typeof path !== "string" || typeof text !== "string") throw new TypeError();
  if (path.endsWith("/")) return { path: path.slice(0, -1), kind: "folder" };
  const time = Date.parse(modified);
  const bytes = isBase64 ? fromBase64(text.trim()) : new TextEncoder().encode(text);
  return { path, bytes, modified: Number.isNaN(time) ? undefined : time };
}

/** Sends bytes through a stream, whose result may have at most `most` bytes. */
export async function through(bytes, stream, most) {
  const writer = stream.writable.getWriter();
  // An error of the stream is thrown by the reader as well.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const [pieces, reader] = [[], stream.readable.getReader()];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new RangeError();
    }
    pieces.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Returns bytes as base64url. */
function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
