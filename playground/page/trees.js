// The folder and plans as trees.
import { count, element, size } from "./dom.js";

/** Number of rows that a tree shows. */
export const MOST_ROWS = 2_000;
/** Number of characters of differences that one plan shows. */
const MOST_DIFFERENCE = 400_000;
/** Number of lines of one difference that a plan shows. */
const MOST_LINES = 5_000;
/** Number of directories that a tree shows inside each other. The rest of a deeper path stands in one row. */
const MOST_NESTED = 40;

/** The sign and the word of each kind of change. */
const KINDS = {
  created: ["+", "created"],
  deleted: ["−", "deleted"],
  changed: ["~", "changed"],
  mode: ["~", "permissions changed"],
  time: ["~", "time changed"],
  moved: ["→", "moved"],
};

/** Returns a directory inside a level, which is made if it is not there. */
function inside(level, name) {
  if (!level.folders.has(name)) level.folders.set(name, { folders: new Map(), rows: [] });
  return level.folders.get(name);
}

/** Arranges rows with `path` by directories. */
function arrange(rows) {
  const root = { folders: new Map(), rows: [] };
  for (const row of rows) {
    const parts = row.path.replace(/\/$/, "").split("/");
    if (parts.length > MOST_NESTED) parts.push(parts.splice(MOST_NESTED - 1).join("/"));
    const name = parts.pop();
    const level = parts.reduce(inside, root);
    if (row.kind === "folder" || row.path.endsWith("/")) inside(level, name).row = row;
    else level.rows.push({ name, row });
  }
  return root;
}

/** Returns the tree of the folder; `open` gets the path of a file that is chosen. */
export function folderTree(entries, chosen, open) {
  const shown = entries.slice(0, MOST_ROWS);
  const list = (level, path) =>
    element(
      "ul",
      {},
      ...[...level.folders].map(([name, inner]) => {
        const below = `${path}${name}/`;
        return element("li", {}, element("details", { "data-path": below, open: shown.length < 200 || path === "" }, element("summary", {}, `${name}/`), list(inner, below)));
      }),
      ...level.rows.map(({ name, row }) =>
        element(
          "li",
          {},
          element(
            "button",
            { type: "button", class: "file", "data-path": row.path, "aria-current": row.path === chosen ? "true" : undefined, onclick: () => open(row.path) },
            element("span", { class: "name" }, row.kind === "link" ? `${name} (link)` : name),
            element("span", { class: "size" }, size(row.size)),
          ),
        ),
      ),
    );
  if (entries.length === 0) return [element("p", { class: "empty" }, "The folder is empty.")];
  const more = entries.length - shown.length;
  return [list(arrange(shown), ""), more > 0 && element("p", { class: "empty" }, `and ${count(more, "further entry", "further entries")}`)].filter(Boolean);
}

/** Returns the numbers of changes, such as `+3 ~1 −2`. */
export function summary(changes) {
  const numbers = new Map();
  for (const { what } of changes) {
    const [sign, word] = KINDS[what];
    numbers.set(sign, { word: sign === "~" ? "changed" : word, number: (numbers.get(sign)?.number ?? 0) + 1 });
  }
  return [...numbers].map(([sign, { word, number }]) => element("span", { class: `sum s-${word}` }, `${sign}${number} ${word}`));
}

/** Returns changes as a tree with their differences. */
export function changeTree(changes) {
  const shown = changes.slice(0, MOST_ROWS);
  let left = MOST_DIFFERENCE;
  const change = (name, row) => {
    const [sign, word] = KINDS[row.what];
    const details = [
      row.detail,
      row.note,
      row.files !== undefined && `${count(row.files, "file")}, ${size(row.bytes)}`,
      row.added !== undefined && `+${row.added} −${row.removed} lines`,
      row.added === undefined && row.files === undefined && sizes(row),
    ];
    const head = [
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      element("span", { class: "name" }, name),
      element("span", { class: "sr" }, ` ${word}`),
      element("span", { class: "detail" }, details.filter(Boolean).join(" · ")),
    ];
    if (!row.diff || left < row.diff.length) return element("div", { class: `change c-${row.what}` }, ...head);
    left -= row.diff.length;
    return element("details", { class: `change c-${row.what}`, open: shown.length <= 12 }, element("summary", {}, ...head), difference(row.diff));
  };
  const list = (level) =>
    element(
      "ul",
      {},
      ...[...level.folders].map(([name, inner]) =>
        element("li", {}, inner.row ? change(`${name}/`, inner.row) : element("div", { class: "change" }, element("span", { class: "name" }, `${name}/`)), list(inner)),
      ),
      ...level.rows.map(({ name, row }) => element("li", {}, change(name, row))),
    );
  const more = changes.length - shown.length;
  return [list(arrange(shown)), more > 0 && element("p", { class: "empty" }, `and ${count(more, "further change")}`)].filter(Boolean);
}

function sizes({ before, after }) {
  if (before === null && after === null) return false;
  if (before === null) return size(after);
  if (after === null) return size(before);
  return before === after ? size(after) : `${size(before)} to ${size(after)}`;
}

function difference(text) {
  const lines = text.replace(/\n$/, "").split("\n").filter((line) => !line.startsWith("--- ") && !line.startsWith("+++ "));
  const kind = (line) => (line.startsWith("@@") ? "d-place" : line.startsWith("+") ? "d-new" : line.startsWith("-") ? "d-old" : "d-same");
  const shown = lines.slice(0, MOST_LINES).map((line) => element("span", { class: kind(line) }, `${line}\n`));
  const more = lines.length - shown.length;
  return element("pre", { class: "difference", tabIndex: 0 }, shown, more > 0 && element("span", { class: "d-place" }, `and ${count(more, "further line")}\n`));
}
