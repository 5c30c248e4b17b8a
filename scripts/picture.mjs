// Makes docs/images/demo.svg: a picture of what `collie demo` really prints, at its busiest moment and at its end.
// node scripts/picture.mjs path/to/collie

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [columns, rows] = [92, 32];
const binary = process.argv[2] ?? "target/debug/collie";
const colours = { 31: "#f47067", 32: "#57ab5a", 33: "#daaa3f", 36: "#39c5cf" };

/** A terminal that knows as much as the demo uses: printing, moving up and down, clearing, colours. */
class Screen {
  lines = [[]];
  row = 0;
  column = 0;
  style = {};

  feed(text) {
    const token = /\x1b\[([\d;?]*)([A-Za-z])|\r|\n|[^\x1b\r\n]/gu;
    for (const [whole, numbers, letter] of text.matchAll(token)) {
      if (letter) this.control(letter, numbers);
      else if (whole === "\r") this.column = 0;
      else if (whole === "\n") this.move(1);
      else this.put(whole);
    }
  }

  control(letter, numbers) {
    const n = Number.parseInt(numbers, 10) || 1;
    if (letter === "A") this.move(-n);
    else if (letter === "B") this.move(n);
    else if (letter === "G") this.column = n - 1;
    else if (letter === "K") this.lines[this.row] = numbers === "2" ? [] : this.lines[this.row].slice(0, this.column);
    else if (letter === "J") this.lines.length = this.row + 1;
    else if (letter === "m") for (const code of (numbers || "0").split(";")) this.paint(Number(code));
  }

  paint(code) {
    if (code === 0) this.style = {};
    else if (code === 1) this.style = { ...this.style, bold: true };
    else if (code === 2) this.style = { ...this.style, dim: true };
    else if (colours[code]) this.style = { ...this.style, colour: colours[code] };
  }

  move(by) {
    this.row = Math.max(0, this.row + by);
    while (this.lines.length <= this.row) this.lines.push([]);
  }

  put(character) {
    if (this.column >= columns) {
      this.column = 0;
      this.move(1);
    }
    this.lines[this.row][this.column] = { character, ...this.style };
    this.column += 1;
  }

  frame() {
    return this.lines.map((line) => Array.from(line, (cell) => cell ?? { character: " " }));
  }
}

const textOf = (frame) => frame.map((line) => line.map((cell) => cell.character).join("")).join("\n");

/** How much there is to see in a frame: loops on the screen, and how different they are. */
const worth = (frame) => {
  const marks = textOf(frame).match(/^[○◔◑◕●▲✗–] demo/gmu) ?? [];
  return marks.length * 10 + new Set(marks).size;
};

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

function svg(frame) {
  const [cell, leading, pad] = [8.4, 19, 20];
  const width = Math.round(columns * cell + 2 * pad);
  const height = frame.length * leading + 2 * pad + 24;
  const body = frame.map((line, row) => {
    const runs = [];
    for (const [column, c] of line.entries()) {
      const key = JSON.stringify([c.colour, c.bold, c.dim]);
      const last = runs.at(-1);
      if (last?.key === key) last.text += c.character;
      else runs.push({ key, column, text: c.character, ...c });
    }
    return runs.filter((run) => run.text.trim()).map((run) => {
      const lead = run.text.length - run.text.trimStart().length;
      const x = (pad + (run.column + lead) * cell).toFixed(1);
      const y = pad + 24 + row * leading + 14;
      const text = run.text.trim();
      const look = `fill="${run.colour ?? "#cdd9e5"}"${run.bold ? ' font-weight="600"' : ""}${run.dim ? ' opacity=".62"' : ""}`;
      return `<text x="${x}" y="${y}" ${look} textLength="${([...text].length * cell).toFixed(1)}">${escape(text)}</text>`;
    }).join("");
  }).join("\n");
  const dots = ["#f47067", "#daaa3f", "#57ab5a"].map((c, i) => `<circle cx="${pad + 6 + i * 18}" cy="20" r="5.5" fill="${c}"/>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">
<rect width="${width}" height="${height}" rx="10" fill="#1c2128"/>${dots}
${body}
</svg>
`;
}

const screen = new Screen();
let best = [];
let end = "";
const command = `stty cols ${columns} rows ${rows}; exec ${binary} demo`;
const child = spawn("script", ["-qefc", command, "/dev/null"], { env: { ...process.env, TERM: "xterm-256color", LANG: "C.UTF-8" } });
child.stdout.setEncoding("utf8");
child.stdout.on("data", (text) => {
  screen.feed(text);
  end += text;
  const frame = screen.frame();
  if (worth(frame) >= worth(best)) best = frame;
});
child.on("close", (status) => {
  if (status !== 0) {
    console.error(end);
    throw new Error(`the demo ended with ${status}`);
  }
  while (best.length && best.at(-1).every((cell) => cell.character.trim() === "")) best.pop();
  const from = best.findIndex((line) => line.some((cell) => cell.character === "C"));
  writeFileSync("docs/images/demo.svg", svg(best.slice(Math.max(0, from))));
  console.log(textOf(best));
});
