// Links with a script: `#1.SAMPLE.SCRIPT`, or `#2.SAMPLE.SCRIPT` compressed by deflate, and `.FILES` for files of its own,
// which is JSON: lists of path, text, time and whether the text is base64. Scripts and files are base64url.
// A link comes from anywhere: everything that is read has a bound, and a link only fills the editor.

/** Maximum number of characters of the script in a link. */
export const MAX_LINK = 32_768;
/** Maximum number of bytes of a script from a link. */
export const MAX_SCRIPT = 262_144;
/** Maximum number of files in a link. */
const MAX_FILES = 1_000;

/** Returns the fragment for a script, or `undefined` if it is too long. */
export async function fragmentOf(script, sample, files = []) {
  const bytes = [script, ...(files.length > 0 ? [JSON.stringify(files)] : [])].map((text) => new TextEncoder().encode(text));
  const packed = await Promise.all(bytes.map((part) => through(part, new CompressionStream("deflate-raw"), Infinity)));
  const isShorter = sum(packed) < sum(bytes);
  const text = (isShorter ? packed : bytes).map(toBase64).join(".");
  if (text.length > MAX_LINK || bytes.some((part) => part.length > MAX_SCRIPT)) return undefined;
  return `#${isShorter ? 2 : 1}.${sample}.${text}`;
}

const sum = (parts) => parts.reduce((length, part) => length + part.length, 0);

/** Reads a fragment. Returns `undefined` if there is none. Throws if it is no link of ours. */
export async function scriptOf(fragment, samples) {
  if (fragment === "" || fragment === "#") return undefined;
  const parts = /^#([12])\.([a-z]{0,20})\.([A-Za-z0-9_-]*)(?:\.([A-Za-z0-9_-]*))?$/.exec(fragment.slice(0, MAX_LINK + 64));
  if (!parts || fragment.length > MAX_LINK + 40) throw new Error("the link is damaged, or longer than links of the playground are");
  const [, form, sample, text, own] = parts;
  if (sample !== "" && !samples.includes(sample)) throw new Error(`the link names a sample that does not exist: ${sample}`);
  try {
    const script = await decode(form, text);
    const files = own === undefined ? undefined : JSON.parse(await decode(form, own));
    if (files?.length > MAX_FILES) throw new RangeError();
    return { script, sample, files: files?.map(fileOf) };
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

/** Returns the entry of the folder that a file of a link becomes. The engine checks its path. */
function fileOf([path, text, modified, isBase64]) {
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
export function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
