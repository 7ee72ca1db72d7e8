// Reads the JSON of `ns undo --plan --output json`.
//
// This module does not know VS Code. Which run is undone is the choice of `ns`.

/** A run that can be undone. */
export interface Undoable {
  /** The name of the run, which `ns undo` takes. */
  readonly run: string;
  readonly command: string;
  /** The number of changes that would be taken back. */
  readonly changes: number;
}

/** Reads the plan of an undo. Throws an error with a message for a person if it is none. */
export function parseUndo(bytes: Buffer): Undoable {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    value = undefined;
  }
  const { run, command, changes } = (value ?? {}) as Record<string, unknown>;
  if (typeof run !== 'string' || typeof command !== 'string' || !Array.isArray(changes)) {
    throw new Error('`ns undo --plan` printed no plan');
  }
  return { run, command, changes: changes.length };
}
