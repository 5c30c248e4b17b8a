/** Small letters without accents: what is typed need not have them. */
export const folded = (text: string): string => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

const START = 8;
const NEXT = 5;
const HIT = 1;
/** The word stands there as it was typed. */
const WHOLE = 12;
/** So many letters in a row are a hit inside of a word too. */
const MIN_RUN = 3;
/** What an unused letter before the first hit costs, up to a limit. */
const LATE = 0.2;
const MAX_LATE = 4;

/**
 * How well a text matches what was typed: every letter of each word stands there in that order, from the start of a word on or with some in a row;
 * those that begin words, and those in a row, count more. Null when one does not.
 */
export function score(text: string, query: string): number | null {
  let sum = 0;
  const within = folded(text);
  for (const word of folded(query).split(/\s+/).filter(Boolean)) {
    const found = wordScore(within, word);
    if (found === null) return null;
    sum += found;
  }
  // Of two that match alike the shorter one says more.
  return sum - within.length / 200;
}

function wordScore(text: string, word: string): number | null {
  let best: number | null = null;
  for (let from = text.indexOf(word[0] ?? ""); from >= 0; from = text.indexOf(word[0] ?? "", from + 1)) {
    const found = scoreFrom(text, word, from);
    if (found !== null && (best === null || found > best)) best = found;
  }
  return best;
}

/** The score of the hit that begins at a place, taking each next letter where it comes first. */
function scoreFrom(text: string, word: string, from: number): number | null {
  let at = from;
  let sum = -Math.min(MAX_LATE, from * LATE);
  let run = 0;
  let isHit = beginsWord(text, from);
  for (let nth = 0; nth < word.length; nth += 1) {
    const found = nth === 0 ? from : text.indexOf(word[nth] ?? "", at);
    if (found < 0) return null;
    run = found === at ? run + 1 : 1;
    if (run >= MIN_RUN) isHit = true;
    if (beginsWord(text, found)) sum += START;
    else if (nth > 0 && found === at) sum += NEXT;
    else sum += HIT;
    at = found + 1;
  }
  if (!isHit) return null;
  return text.startsWith(word, from) ? sum + WHOLE : sum;
}

const beginsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");
