/** A program and its arguments as one line: what has blanks or quotes in it stands in quotes. */
export function lineOf(command: string[]): string {
  return command.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/(["\\])/g, "\\$1")}"`)).join(" ");
}

/** A program and its arguments out of one line. A quote that does not end goes to the end of the line. */
export function commandOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote !== "" && char === quote) quote = "";
    else if (char === "\\" && quote !== "'" && at + 1 < line.length) word = (word ?? "") + line.charAt((at += 1));
    else if (quote !== "") word = (word ?? "") + char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + char;
  }
  if (word !== null) words.push(word);
  return words.filter((each) => each !== "");
}
