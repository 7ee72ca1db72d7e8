// Elements from texts, and texts for people: nothing of a script, a file or a link ever becomes markup.

/** Returns the element with an id. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with properties (`class`, `aria-…`, `on…` and plain ones) and children: nodes, texts and lists of them. */
export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) created.addEventListener(key.slice(2), value);
    else if (key === "class") created.className = value;
    else if (key.includes("-") || key === "role") created.setAttribute(key, value);
    else created[key] = value;
  }
  // One at a time, since a call takes only so many arguments.
  for (const child of children.flat()) if (child !== undefined && child !== null && child !== false) created.append(child);
  return created;
}

/** Returns a number of bytes for people. */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let [value, unit] = [bytes / 1000, 0];
  while (value >= 999.5 && unit < 2) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Returns a number with its noun. */
export const count = (number, noun, plural = `${noun}s`) => `${number} ${number === 1 ? noun : plural}`;

/** Returns the first of several texts, and the number of those after them. */
export function firstOf(texts, most) {
  const more = texts.length > most ? `, and ${texts.length - most} more` : "";
  return texts.slice(0, most).join(", ") + more;
}
