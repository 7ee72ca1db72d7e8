// Reads the JSON of `ns run --plan=json`, as docs/plan.md describes it.
//
// This module does not know VS Code. The bytes of a plan are kept as they are, because its seal covers them.

/** The state of an entry. */
export interface State {
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  readonly size: number;
  readonly mode: number;
  /** Seconds since 1970, and nanoseconds. */
  readonly modified: readonly [number, number] | undefined;
}

export const ACTIONS = ['created', 'changed', 'mode', 'moved', 'restored', 'deleted'] as const;
export type Action = (typeof ACTIONS)[number];

export type Content = { readonly text: string } | { readonly base64: string } | { readonly link: string };

/** One change of a plan. */
export interface Change {
  /** The path from the sandbox, or an absolute one below a further root. */
  readonly path: string;
  readonly action: Action;
  readonly was: State | undefined;
  readonly now: State | undefined;
  readonly content: Content | undefined;
  /** The path of a source that is moved or restored. */
  readonly from: string | undefined;
  /** The path before a directory above it moves. */
  readonly origin: string | undefined;
  readonly holds: { readonly files: number; readonly bytes: number } | undefined;
}

export interface Plan {
  readonly command: string;
  readonly failed: boolean;
  readonly changes: readonly Change[];
  /** The refused calls, one line each. */
  readonly refused: readonly string[];
  /** The plan as it was printed, which `ns apply` reads. */
  readonly bytes: Buffer;
}

/** The most changes that are shown. */
const MOST_CHANGES = 100_000;

/** Reads a plan. Throws an error with a message for a person if it is none. */
export function parsePlan(bytes: Buffer): Plan {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('the output of `ns` is not a plan');
  }
  const plan = record(value);
  if (plan['plan'] !== 1) {
    throw new Error(`the plan has the format ${String(plan['plan'])}, and this extension reads format 1; update the extension`);
  }
  const changes = list(plan['changes']);
  if (changes.length > MOST_CHANGES) {
    throw new Error(`the plan has ${changes.length} changes, and the editor shows at most ${MOST_CHANGES}; use \`ns run --plan\``);
  }
  return {
    command: text(plan['command']),
    failed: plan['failed'] === true,
    changes: changes.map(changeOf),
    refused: refusedOf(plan['refused']),
    bytes,
  };
}

function refusedOf(value: unknown): string[] {
  if (value === undefined) return [];
  const refused = record(value);
  const lines = list(refused['calls']).map((call) => `${text(record(call)['tool'])}: ${text(record(call)['reason'])}`);
  const more = refused['more'];
  return typeof more === 'number' && more > 0 ? [...lines, `and ${more} more`] : lines;
}

function changeOf(value: unknown): Change {
  const change = record(value);
  const action = ACTIONS.find((action) => action === change['change']);
  if (action === undefined) throw new Error(`the plan has an unknown kind of change, ${String(change['change'])}; update the extension`);
  const from = change['from'] === undefined ? undefined : list(change['from'])[0];
  return {
    path: text(change['path']),
    action,
    was: change['was'] === undefined ? undefined : stateOf(change['was']),
    now: change['now'] === undefined ? undefined : stateOf(change['now']),
    content: change['content'] === undefined ? undefined : contentOf(change['content']),
    from: from === undefined ? undefined : text(from),
    origin: change['origin'] === undefined ? undefined : text(change['origin']),
    holds: change['holds'] === undefined ? undefined : holdsOf(change['holds']),
  };
}

const KINDS: readonly string[] = ['file', 'folder', 'link', 'special'];

function stateOf(value: unknown): State {
  const state = record(value);
  const kind = text(state['kind']);
  if (!KINDS.includes(kind)) throw new Error(`the plan has an unknown kind of entry, ${kind}; update the extension`);
  const modified = Array.isArray(state['modified']) ? (state['modified'] as unknown[]) : undefined;
  return {
    kind: kind as State['kind'],
    size: number(state['size']),
    mode: number(state['mode']),
    modified: modified === undefined ? undefined : [number(modified[0]), number(modified[1])],
  };
}

function contentOf(value: unknown): Content {
  const content = record(value);
  if (typeof content['text'] === 'string') return { text: content['text'] };
  if (typeof content['base64'] === 'string') return { base64: content['base64'] };
  if (typeof content['link'] === 'string') return { link: content['link'] };
  throw new Error('the plan has content of an unknown form; update the extension');
}

function holdsOf(value: unknown): { files: number; bytes: number } {
  const holds = record(value);
  return { files: number(holds['files']), bytes: number(holds['bytes']) };
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the output of `ns` is not a plan');
  return value as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('the output of `ns` is not a plan');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('the output of `ns` is not a plan');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Error('the output of `ns` is not a plan');
  return value;
}
