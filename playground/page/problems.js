// Findings about scripts as elements.
import { element } from "./dom.js";

/** Returns a finding with its place, help, explanation and repair. The editor shows its place and takes its repair. */
export function problem(finding, editor) {
  const { code, severity, message, help, explanation, place, fix } = finding;
  const where = place && [place.module, place.line, place.column].filter(Boolean).join(":");
  const head = [
    element("span", { class: `severity s-${severity}` }, severity),
    element("code", {}, code),
    where && element("span", { class: "where" }, where),
    element("span", { class: "message" }, inCode(message)),
  ];
  const canShow = place && !place.module;
  return element(
    "div",
    { class: "problem" },
    canShow
      ? element("button", { type: "button", class: "place", onclick: () => editor.show(place.start, place.end) }, head)
      : element("p", { class: "place" }, head),
    help && element("p", { class: "help" }, "help: ", inCode(help)),
    element(
      "div",
      { class: "more" },
      fix && element("button", { type: "button", class: "quiet", onclick: () => repair(editor, fix) }, fix.is_safe ? "Repair" : "Use the suggestion"),
      element("details", {}, element("summary", {}, `What is ${code}?`), element("p", {}, inCode(explanation))),
    ),
  );
}

function repair(editor, { start, end, text }) {
  editor.replace(start, end, text);
  editor.show(start, start + text.length);
}

/** Returns a text with its parts in backticks as code. */
function inCode(text) {
  return text.split("`").map((part, number) => (number % 2 === 1 ? element("code", {}, part) : part));
}
