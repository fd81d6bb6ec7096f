import { show } from '../basics/quantities.ts';
import type { Resolution } from './resolution.ts';
import { nearest } from '../basics/spelling.ts';
import { findKey } from './schema.ts';

/** What is wrong with values for params (`--set`, a slider): one sentence each; empty where all can be. */
export function checkOverrides(resolution: Resolution, overrides: Readonly<Record<string, number>>): readonly string[] {
  const { params } = resolution.plan;
  return Object.entries(overrides).flatMap(([name, value]) => {
    const param = params.find((paramPlan) => paramPlan.name === name);
    if (param === undefined) {
      const near = nearest(
        name,
        params.map((paramPlan) => paramPlan.name),
      );
      return [
        `Unknown param "${name}".${near === undefined ? (nodesHint(resolution, name, value) ?? wayOut(name)) : ` Did you mean "${near}"?`}`,
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

/** A key of a block is no param: how to make one of it. */
function wayOut(name: string): string {
  for (const block of ['pipeline', 'model', 'device'] as const) {
    const key = findKey(block, name);
    if (key?.value.kind !== 'quantity' || !key.forms.includes('value')) continue;
    const value = key.example.split(' = ')[1] ?? '8';
    return ` It is a key of the ${block}: write "param ${name} = ${value}" above it, and "${name} = ${name}" in it.`;
  }
  return '';
}
