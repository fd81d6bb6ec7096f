import { list, show } from '../basics/quantities.ts';
import type { ParamPlan } from '../values/plan.ts';
import type { Resolution } from './resolution.ts';
import { nearest } from '../basics/spelling.ts';
import { findKey } from './schema.ts';

/** What a call and its file say, for hints that a person can use as they are. */
export interface WrittenValues {
  /** The value of a key in the first block of this kind that has it. */
  inFile(block: string, key: string): string | undefined;
  /** The value that the call gives. */
  asked(name: string): string | undefined;
}

const unknownValues: WrittenValues = { inFile: () => undefined, asked: () => undefined };

/** What is wrong with values for params (`--set`, a slider): one sentence each; empty where all can be. */
export function checkOverrides(
  resolution: Resolution,
  overrides: Readonly<Record<string, number>>,
  written: WrittenValues = unknownValues,
): readonly string[] {
  const { params } = resolution.plan;
  return Object.entries(overrides).flatMap(([name, value]) => {
    const param = params.find((paramPlan) => paramPlan.name === name);
    if (param === undefined) {
      const near = nearest(
        name,
        params.map((paramPlan) => paramPlan.name),
      );
      return [
        `Unknown param "${name}".${near === undefined ? (nodesHint(resolution, name, value) ?? wayOut(resolution, name, written) ?? paramsWords(params)) : ` Did you mean "${near}"?`}`,
      ];
    }
    const { min = -Infinity, max = Infinity, dimension, words } = param;
    if (words !== undefined && !Number.isInteger(value))
      return [`"${name}" takes the number of a word: ${words.map((word, index) => `${index} is ${word}`).join(', ')}.`];
    if (Number.isFinite(value) && value >= min && value <= max) return [];
    const allowed =
      max === Infinity
        ? min === -Infinity
          ? 'a finite number'
          : `at least ${show(min, dimension)}`
        : `from ${show(min, dimension)} to ${show(max, dimension)}`;
    return [`"${name}" is ${show(value, dimension)}; it must be ${allowed}.`];
  });
}

/** How a cluster gets another number of nodes. */
function nodesHint({ plan, symbols }: Resolution, name: string, value: number): string | undefined {
  if (name !== 'nodes') return undefined;
  const setting = plan.params.find((param) => param.name.endsWith('.nodes'));
  if (setting !== undefined) return ` Did you mean "${setting.name}"?`;
  const clusters = [...symbols.symbols.values()].filter(({ kind }) => kind === 'cluster');
  return clusters.some(({ declaration }) => declaration?.uri === 'std:clusters')
    ? ` The cluster is imported from "std:clusters": add \`nodes\` to the names of the import, or write \`with { nodes = ${value} }\` behind it.`
    : ` A cluster says its nodes as \`node[${value}]\`: write "param nodes = ${value}" above it, and \`node[nodes]\` in it.`;
}

/** A key of a block is no param: how to make one of it, with the value that the file has now. */
function wayOut({ plan }: Resolution, name: string, { inFile, asked }: WrittenValues): string | undefined {
  for (const block of ['pipeline', 'model', 'device'] as const) {
    const key = findKey(block, name);
    if (key?.value.kind !== 'quantity' || !key.forms.includes('value')) continue;
    const now = inFile(block, name);
    const param = plan.params.find((one) => one.name === now);
    if (param !== undefined)
      return ` It is a key of the ${block}, and its value is the param "${param.name}", now ${paramValue(param)}: --set ${param.name}=${asked(name) ?? paramValue(param)}.`;
    const value =
      [now, asked(name), key.example.split(' = ')[1]].find((one) => one !== undefined && isLiteral(one)) ?? '8';
    return ` It is a key of the ${block}: write "param ${name} = ${value}" above it, and "${name} = ${name}" in it.`;
  }
  return undefined;
}

const isLiteral = (text: string): boolean => /^-?\d[\d.]*\s*[A-Za-zµ/%]*$/u.test(text);

/** What a param has without `--set`, as a file writes it: `8`, `2.5ms`. */
export const paramValue = ({ default: value, scale, unit, words }: ParamPlan): string =>
  words?.[value] ?? `${Number((value / scale).toPrecision(12))}${unit}`;

/** ` The file has the params microbatches = 8 and rate = 2ms.` */
export function paramsWords(params: readonly ParamPlan[]): string {
  if (params.length === 0) return ' The file has no params.';
  const shown = params.slice(0, mostParams).map((param) => `${param.name} = ${paramValue(param)}`);
  const more = params.length - shown.length;
  return ` The file has ${params.length === 1 ? 'the param' : 'the params'} ${list(more > 0 ? [...shown, `${more} more`] : shown)}.`;
}

const mostParams = 6;
