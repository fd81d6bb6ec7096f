import { expect } from 'vitest';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan, PolicyArgument } from '../../../engine/values/plan.ts';
import type { FixHint } from '../../../engine/findings/finding.ts';
import { resolve } from '../../../engine/flow/resolve.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import type { Policy, PolicyArguments, PolicyParameter } from '../../../engine/policies/policy.ts';
import type { Program } from '../../../engine/values/program.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { parse } from '../../../grammar/index.ts';
import { hostOf } from '../../support/host.ts';

/** A pipeline to ask a policy for: devices, microbatches, arguments, and costs of stages that repeat. */
export interface Case {
  readonly policy: Policy;
  readonly p: number;
  readonly m: number;
  readonly args: PolicyArguments;
  /** Milliseconds of F, I and W of a layer, repeated over the layers. */
  readonly costs: readonly (readonly [number, number, number])[];
  /** Microseconds of a transfer. */
  readonly latency: number;
}

export const isAsynchronous = ({ policy, args }: Case): boolean => (policy.weights?.(args) ?? 'flush') !== 'flush';

const uri = 'file:///project/grid.pipe';
const unitOf: Readonly<Record<string, string>> = {
  time: 'ms',
  bytes: 'GiB',
  share: '%',
  bandwidth: 'GB/s',
  compute: 'TFLOPS',
};

/** Arguments under which a policy that searches takes least long: grids have thousands of shapes. */
export const quickly = <Arguments extends PolicyArguments>({ parameters }: Policy, args: Arguments): Arguments =>
  parameters.some(({ name }) => name === 'effort') ? { ...args, effort: 0 } : args;

/** The case as a file, one layer a stage. `stages` where they are not those that the policy would make of p devices. */
function textOf(one: Case, stages: number): string {
  const { policy, p, m, args, costs, latency } = one;
  const written = Object.entries(quickly(policy, args)).map(([name, value]) => {
    const { dimension } = policy.parameters.find((parameter) => parameter.name === name) ?? {};
    const unit = dimension === undefined ? '' : (unitOf[dimension] ?? '');
    return `${name} = ${Array.isArray(value) ? `[${value.join(', ')}]` : `${typeof value === 'object' ? JSON.stringify(value) : value}${unit}`}`;
  });
  const layers = Array.from({ length: stages }, (_, stage) => {
    const [f, i, w] = costs[stage % costs.length];
    return `  layer l${stage} { forward = ${f}ms  backward_input = ${i}ms  backward_weight = ${w}ms  weights = 1MiB  activation = 1MiB  output = 1KiB }`;
  });
  return `device gpu { memory = 64GiB }
cluster box { gpu[${p}] = gpu  link = 25GB/s + ${latency}us }
model net {
${layers.join('\n')}
}
pipeline train {
  model = net  devices = box  microbatches = ${m}
  stages = split(${Array.from({ length: stages }, () => 1).join(', ')})
  schedule = ${policy.name}${written.length > 0 ? `(${written.join(', ')})` : ''}
  ${isAsynchronous(one) ? 'iterations = 3' : ''}
  ${args['prefer'] === 'p95' ? 'jitter = 5%' : ''}
}
`;
}

const options = { ...defaultOptions, limits: { ...defaultOptions.limits, findings: 50 } };

type Fault = { readonly code: string; readonly message: string; readonly hint?: FixHint };
type Outcome = { readonly plan: PipelinePlan; readonly program: Program } | { readonly faults: readonly Fault[] };

function outcome(one: Case, stages: number): Outcome {
  const text = textOf(one, stages);
  const { plan, findings } = resolve({ uri, syntax: parse(text), host: hostOf(), options });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) return { faults: errors };
  const generated = generate(pipeline);
  return 'faults' in generated ? { faults: generated.faults } : { plan: pipeline, program: generated.program };
}

/**
 * Holds a case to the contract: a program is complete, ends, and takes no less than the bound; without one there is
 * `schedule/shape` whose nearest values do, or another error that says which value is wrong. Which it was.
 */
export function holds(one: Case): 'ran' | 'mended' | 'refused' {
  const found = outcome(one, one.p * one.policy.chunks(one.args));
  const name = `${one.policy.name} p=${one.p} m=${one.m} ${JSON.stringify(one.args)}`;
  if ('program' in found) {
    const { plan, program } = found;
    const findings = validate(program, plan).map(({ message }) => message);
    expect(findings, name).toEqual([]);
    const timing = timingOf(plan, program);
    const timeline = simulate(program, timing);
    expect(timeline, name).toBeDefined();
    const least = leastMakespan(plan, program, timing, { split: true, memory: false });
    expect(timeline?.makespan, name).toBeGreaterThanOrEqual(least * (1 - 1e-12));
    return 'ran';
  }
  expect(found.faults.length, `${name} has no plan and no error`).toBeGreaterThan(0);
  if (found.faults.every(({ code }) => code !== 'schedule/shape')) return 'refused';
  mends(one, found.faults, name);
  return 'mended';
}

/** Follows the nearest values until nothing is wrong. What has been set to one of them is never wrong again. */
function mends(first: Case, found: readonly Fault[], name: string): void {
  const set = new Set<string>();
  let one = first;
  let rounds = 0;
  for (let faults = found; faults.length > 0; rounds += 1) {
    expect(rounds, `${name}: ${faults[0].message}`).toBeLessThan(300);
    for (const { code, message, hint } of faults) {
      expect(code, `${name}: ${message}`).toBe('schedule/shape');
      // Of a list there is no nearest one.
      const lists = one.policy.parameters.some(({ name, kind }) => kind === 'integers' && name in one.args);
      if (hint?.kind !== 'value' && lists) return;
      // Nor of two words that exclude each other.
      if (hint?.kind !== 'value' && one.args['prefer'] === 'p95' && one.args['objective'] === 'span') return;
      if (hint?.kind !== 'value') throw new Error(`${name}: ${message} It has no nearest values.`);
      const { input, values } = hint;
      const element = /^(\w+)\[(\d+)\]$/.exec(input);
      // Elements of a list may hang together: one is raised after another.
      expect(element === null && set.has(input), `${name}: ${input} has been mended, yet ${message}`).toBe(false);
      set.add(input);
      if (input === 'microbatches') one = { ...one, m: values[0] };
      else if (input === 'devices') one = { ...one, p: values[0] };
      else if (input === 'stages') one = { ...one, p: Math.ceil(values[0] / one.policy.chunks(one.args)) };
      else if (element === null) one = { ...one, args: { ...one.args, [input]: values[0] } };
      else {
        const list = one.args[element[1]];
        if (!Array.isArray(list)) throw new Error(`${name}: ${message} There is no list ${element[1]}.`);
        one = { ...one, args: { ...one.args, [element[1]]: list.with(Number(element[2]), values[0]) } };
      }
    }
    const again = outcome(one, one.p * one.policy.chunks(one.args));
    faults = 'faults' in again ? again.faults : [];
  }
}

/** Values to try of a parameter, `pick` among those that it may have. */
export function argumentOf(parameter: PolicyParameter, p: number, pick: number): PolicyArgument | undefined {
  const { kind, words = [], min = 1, max = Infinity } = parameter;
  const number = Math.min(max, min + (pick % 5));
  if (kind === 'word' || (words.length > 0 && pick % 3 === 0)) return words[pick % words.length];
  if (kind === 'integer' || kind === 'quantity') return number;
  return pick % 2 === 0 ? number : Array.from({ length: p }, (_, index) => Math.min(max, min + ((pick + index) % 7)));
}
