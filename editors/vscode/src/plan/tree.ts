// Arranges the changes of a plan as a tree of directories, and puts them into words.
//
// This module does not know VS Code.

import type { Action, Change, Plan } from './form';

/** A directory or a file of a plan. */
export interface Node {
  readonly name: string;
  readonly path: string;
  /** The change of this entry itself; a directory that only holds changes has none. */
  change: Change | undefined;
  readonly children: Node[];
}

/** Returns the top entries of a plan. Directories come first, then names in the order of the plan. */
export function treeOf(plan: Plan): Node[] {
  const root: Node = { name: '', path: '', change: undefined, children: [] };
  const known = new Map<string, Node>([['', root]]);
  for (const change of plan.changes) nodeAt(known, change.path).change = change;
  for (const node of known.values()) node.children.sort(byKindAndName);
  return root.children;
}

function nodeAt(known: Map<string, Node>, path: string): Node {
  const found = known.get(path);
  if (found !== undefined) return found;
  // An absolute path is below a further root, and its first part is that slash.
  const slash = path.lastIndexOf('/');
  const above = slash <= 0 ? '' : path.slice(0, slash);
  const name = slash <= 0 ? path : path.slice(slash + 1);
  const node: Node = { name, path, change: undefined, children: [] };
  known.set(path, node);
  nodeAt(known, above).children.push(node);
  return node;
}

function byKindAndName(a: Node, b: Node): number {
  const order = Number(isFolder(b)) - Number(isFolder(a));
  if (order !== 0) return order;
  return a.name < b.name ? -1 : 1;
}

/** Whether a node is a directory. */
export function isFolder(node: Node): boolean {
  if (node.children.length > 0) return true;
  const change = node.change;
  return (change?.now ?? change?.was)?.kind === 'folder';
}

/** Whether a change has a difference that can be opened. */
export function hasDifference(change: Change): boolean {
  return (change.now ?? change.was)?.kind !== 'folder' && change.was?.kind !== 'folder';
}

/** The words that stand beside a name. */
export function wordsOf(change: Change): string {
  switch (change.action) {
    case 'created':
      return 'created';
    case 'changed':
      return 'changed';
    case 'mode':
      return modeWords(change);
    case 'moved':
      return `moved from ${change.from ?? '?'}`;
    case 'restored':
      return 'restored from a backup';
    case 'deleted':
      return change.holds === undefined ? 'deleted' : `deleted with ${counted(change.holds.files, 'file')} (${change.holds.bytes} bytes)`;
  }
}

function modeWords(change: Change): string {
  const { was, now } = change;
  if (was === undefined || now === undefined || was.mode === now.mode) return 'another time';
  return `${octal(was.mode)} → ${octal(now.mode)}`;
}

/** Permission bits as `chmod` takes them. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** A number with its noun. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A sentence such as `3 created, 1 deleted`. */
export function summary(plan: Plan): string {
  const words: [Action, string][] = [
    ['created', 'created'],
    ['changed', 'changed'],
    ['mode', 'with another mode or time'],
    ['moved', 'moved'],
    ['restored', 'restored'],
    ['deleted', 'deleted'],
  ];
  const parts = words.flatMap(([action, word]) => {
    const count = plan.changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return parts.length === 0 ? 'nothing would be changed' : parts.join(', ');
}
