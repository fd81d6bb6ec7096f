/** Candidates examined for one file; after that a name gets no suggestion rather than a slow one. */
const budgetOfFile = 2_000_000;

/** Letters that are enough to know a longer name by, and how near it then is. */
const leastBegun = 3;
const begunDistance = 1.25;

/** How much further a name is that begins with another letter: `a100_80` from `h100_80`, which rather means `h100`. */
const otherStart = 0.4;

/** How much nearer a name is that only adds letters: `llama3_1_405b` to `llama3_405b` than `llama3_70b`, which changes as many. */
const keptWhole = 0.25;

/**
 * A finder of near spellings with a budget: looking at many candidates for many wrong names would be quadratic.
 * Distance is Damerau–Levenshtein (a swap of neighbours counts once), upper and lower case apart counting half. A name that
 * begins a longer one, such as `mem`, is as near as little more than one letter, and so is one that goes on behind `_`: `h100_sxm5`.
 */
export function spellings(budget = budgetOfFile): (name: string, candidates: Iterable<string>) => string | undefined {
  let left = budget;
  return (name, candidates) => {
    if (name.length > 64) return undefined;
    let best: string | undefined;
    let bound = Math.max(1, Math.floor(name.length / 3)) + 0.5;
    for (const candidate of candidates) {
      if (left <= 0) return best;
      left -= 1;
      if (candidate === name) continue;
      const begins = name.length >= leastBegun && candidate.startsWith(name);
      const goesOn = candidate.length >= leastBegun && name.startsWith(`${candidate}_`);
      const begun = begins || goesOn ? begunDistance : Infinity;
      if (Math.min(begun, Math.abs(candidate.length - name.length) - keptWhole) > bound) continue;
      left -= candidate.length;
      const whole = keepsAll(name, candidate) ? keptWhole : 0;
      const start = candidate.charAt(0).toLowerCase() === name.charAt(0).toLowerCase() ? 0 : otherStart;
      const found = Math.min(begun, distance(name, candidate, bound + whole) - whole + start);
      if (found < bound) {
        bound = found;
        best = candidate;
      }
    }
    return best;
  };
}

/** The nearest of a few candidates, or undefined where none is near. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined =>
  spellings()(name, candidates);

/** Whether all letters of a name are in a longer one, in their order. */
function keepsAll(name: string, longer: string): boolean {
  let at = 0;
  for (let index = 0; index < longer.length && at < name.length; index += 1) if (longer[index] === name[at]) at += 1;
  return at === name.length;
}

function distance(a: string, b: string, bound: number): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const half = !same && a[i - 1].toLowerCase() === b[j - 1].toLowerCase();
      let cost = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : half ? 0.5 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2] + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > bound) return Infinity;
    before = above;
    above = row;
  }
  return above[b.length];
}

/** The one word that begins with this text: `v_shape` for `v`. */
export function onlyBegun(text: string, words: readonly string[]): string | undefined {
  const begun = words.filter((word) => word.startsWith(text));
  return begun.length === 1 ? begun[0] : undefined;
}
