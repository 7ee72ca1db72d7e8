// The editor: a text area, and under it the same text with colours and marks. The text area keeps everything that browsers
// give it: undo, input methods, selection, screen readers. Tab leaves it; Ctrl+] and Ctrl+[ indent.
import { element } from "./dom.js";

/** The names of the classes of tokens, in the order of `TokenClass` in `crates/syntax`. */
const CLASSES = ["keyword", "variable", "property", "function", "namespace", "parameter", "number", "text", "comment"];
/** Number of characters above which a script has no colours. */
const MOST_COLOURED = 60_000;
/** Statements after whose head the next line is indented. */
const OPENS = /(\b(THEN|DO|ELSE)|^\s*DEFINE PROCEDURE\b.*\))\s*(#.*)?$/i;
const INDENT = "  ";

export class Editor {
  /** `changed` is called after each change of the text. */
  constructor({ area, highlight, gutter, changed }) {
    Object.assign(this, { area, highlight, gutter, changed });
    this.marks = [];
    this.tokens = () => [];
    area.addEventListener("input", () => {
      this.marks = [];
      this.draw();
      this.changed();
    });
    area.addEventListener("scroll", () => this.follow());
    area.addEventListener("keydown", (event) => this.press(event));
    this.draw();
  }

  get text() {
    return this.area.value;
  }

  /** Replaces the whole text. The browser's undo takes it back. */
  set text(text) {
    this.replace(0, this.area.value.length, text);
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.area.scrollLeft = 0;
    this.follow();
  }

  /** Replaces a range of the text. */
  replace(start, end, text) {
    const { activeElement } = document;
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    // The only way that keeps the undo of the browser; what it does without is the fallback.
    const done = text === "" && start === end ? true : document.execCommand(text === "" ? "delete" : "insertText", false, text);
    if (!done || this.area.value.slice(start, start + text.length) !== text.replaceAll("\r\n", "\n")) {
      this.area.setRangeText(text, start, Math.min(end, this.area.value.length), "end");
      this.area.dispatchEvent(new Event("input"));
    }
    if (activeElement instanceof HTMLElement && activeElement !== this.area && activeElement !== document.body) activeElement.focus({ preventScroll: true });
  }

  /** Marks ranges `{start, end, severity}`. */
  mark(marks) {
    this.marks = marks;
    this.draw();
  }

  /** Puts the cursor at a range and shows it. */
  show(start, end) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const line = this.text.slice(0, start).split("\n").length - 1;
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    const top = line * height;
    if (top < this.area.scrollTop || top + height * 2 > this.area.scrollTop + this.area.clientHeight) {
      this.area.scrollTop = Math.max(0, top - this.area.clientHeight / 2);
    }
    this.follow();
  }

  draw() {
    const { text } = this;
    const pieces = text.length > MOST_COLOURED ? [text] : this.pieces(text);
    // The last line needs something to have a height.
    this.highlight.replaceChildren(...pieces, "\n");
    const lines = text.split("\n").length;
    if (lines !== this.lines) {
      this.lines = lines;
      this.gutter.textContent = Array.from({ length: lines }, (_, line) => line + 1).join("\n") + "\n";
    }
    this.follow();
  }

  /** Returns the text cut where colours and marks begin and end. */
  pieces(text) {
    const tokens = this.tokens(text);
    const cuts = new Set([0, text.length]);
    for (let at = 0; at < tokens.length; at += 3) cuts.add(tokens[at]).add(tokens[at + 1]);
    for (const { start, end } of this.marks) cuts.add(start).add(end);
    const sorted = [...cuts].filter((cut) => cut <= text.length).sort((one, other) => one - other);
    const pieces = [];
    let token = 0;
    for (let number = 0; number + 1 < sorted.length; number++) {
      const [start, end] = [sorted[number], sorted[number + 1]];
      while (token < tokens.length && tokens[token + 1] <= start) token += 3;
      const names = [];
      if (token < tokens.length && tokens[token] <= start) names.push(`t-${CLASSES[tokens[token + 2]]}`);
      const mark = this.marks.find((mark) => mark.start <= start && end <= mark.end);
      if (mark) names.push(`m-${mark.severity}`);
      const part = text.slice(start, end);
      pieces.push(names.length === 0 ? part : element("span", { class: names.join(" ") }, part));
    }
    return pieces;
  }

  follow() {
    this.highlight.scrollTop = this.area.scrollTop;
    this.highlight.scrollLeft = this.area.scrollLeft;
    this.gutter.scrollTop = this.area.scrollTop;
  }

  press(event) {
    if (event.isComposing || event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && !command && !event.shiftKey) {
      const before = this.text.slice(0, this.area.selectionStart).split("\n").at(-1);
      const indent = /^[ \t]*/.exec(before)[0] + (OPENS.test(before) ? INDENT : "");
      if (indent === "") return;
      event.preventDefault();
      this.replace(this.area.selectionStart, this.area.selectionEnd, `\n${indent}`);
    } else if (command && (event.key === "]" || event.key === "[")) {
      event.preventDefault();
      this.indent(event.key === "]");
    }
  }

  /** Indents the selected lines, or takes indentation away. */
  indent(more) {
    const { selectionStart, selectionEnd } = this.area;
    const start = this.text.lastIndexOf("\n", selectionStart - 1) + 1;
    const next = this.text.indexOf("\n", Math.max(selectionEnd - 1, start));
    const end = next < 0 ? this.text.length : next;
    const lines = this.text.slice(start, end).split("\n");
    const changed = lines.map((line) => (more ? INDENT + line : line.replace(/^( {1,2}|\t)/, ""))).join("\n");
    if (changed === this.text.slice(start, end)) return;
    this.replace(start, end, changed);
    this.area.setSelectionRange(start, start + changed.length);
  }
}
