/**
 * Reads a layout of Megatron-LM's `--pipeline-model-parallel-layout`, such as `Et*3|(tt|)*29,m|L`. E: embedding. t: transformer
 * layer. m: multi-token prediction layer. L: loss. `|` ends a stage, `,` means nothing, `x*n` repeats a symbol (`|` too) and
 * `(…)*n` a group, which holds no other group.
 */
import { clipped, mostTextFaults, type TextFault } from '../fault.ts';

export type LayerSymbol = 'E' | 't' | 'm' | 'L';

/** A symbol of a stage, with where it is written. */
export interface Placed {
  readonly symbol: LayerSymbol;
  readonly start: number;
  readonly end: number;
}

/** Stages in order, each its symbols in order; a stage may be empty. */
export type Layout = readonly (readonly Placed[])[];

const mostSymbols = 100_000;

type Symbol = { readonly symbol: LayerSymbol | '|'; readonly start: number; readonly end: number };

/** The stages of a layout that begins at `offset` of its file, or what is wrong with how it is written. */
export function readLayout(
  text: string,
  offset = 0,
): { readonly stages: Layout } | { readonly faults: readonly TextFault[] } {
  const faults: TextFault[] = [];
  const fault = (start: number, end: number, message: string): void => {
    if (faults.length < mostTextFaults) faults.push({ start: offset + start, end: offset + end, message });
  };
  const symbols: Symbol[] = [];
  let group: { readonly from: number; readonly at: number } | undefined;
  let at = 0;
  /** `*n` behind what ends at `at`: n, or 1 where there is none. Commas are taken out before anything is repeated. */
  const times = (what: string, needed: boolean): number => {
    const match = /^,*\*,*([\d,]*)/.exec(text.slice(at, at + 32));
    if (match === null) {
      if (needed) fault(at - 1, at, `${what} needs a number of times: \`(…)*n\`.`);
      return 1;
    }
    const start = at;
    at += match[0].length;
    const digits = match[1].replaceAll(',', '');
    if (digits === '') fault(start, at, `\`*\` needs a number after it.`);
    return digits === '' ? 1 : Number(digits);
  };
  const repeat = (from: number, number: number, start: number): boolean => {
    const repeated = symbols.splice(from);
    if (symbols.length + repeated.length * number > mostSymbols) {
      fault(start, at, `This makes more than ${mostSymbols.toLocaleString('en-US')} layers.`);
      return false;
    }
    for (let i = 0; i < number; i += 1) for (const symbol of repeated) symbols.push(symbol);
    return true;
  };
  while (at < text.length) {
    const start = at;
    const char = text[at];
    at += 1;
    if (char === ',') continue;
    if (char === '(') {
      if (group !== undefined) fault(start, at, 'Groups cannot be nested.');
      group = { from: symbols.length, at: start };
    } else if (char === ')') {
      if (group === undefined)
        fault(start, at, 'This closes a group that was not opened. Write `(` before it, or delete it.');
      else if (group.from === symbols.length) fault(group.at, at, 'This group is empty.');
      const number = times('A group', true);
      if (group !== undefined && !repeat(group.from, number, group.at)) break;
      group = undefined;
    } else if (char === 'E' || char === 't' || char === 'm' || char === 'L' || char === '|') {
      symbols.push({ symbol: char, start: offset + start, end: offset + at });
      if (!repeat(symbols.length - 1, times('', false), start)) break;
    } else if (char === '*') fault(start, at, '`*` needs a symbol or a group before it.');
    else
      fault(
        start,
        at,
        `"${clipped(char)}" is not a symbol of a layout: expected E, t, m, L, \`|\`, \`,\`, \`*n\` or \`(…)*n\`.`,
      );
  }
  if (group !== undefined) fault(group.at, group.at + 1, 'This group is not closed.');
  if (faults.length > 0) return { faults };
  const stages: Placed[][] = [[]];
  for (const { symbol, start, end } of symbols) {
    if (symbol === '|') stages.push([]);
    else stages[stages.length - 1].push({ symbol, start, end });
  }
  return { stages };
}
