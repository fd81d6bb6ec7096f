/** What takes long is done in steps, so that a server answers requests between them, and says the same. */
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluation } from '../../../engine/flow/evaluate.ts';
import { resolveSteps } from '../../../engine/flow/resolve.ts';
import { messageSteps } from '../../../engine/findings/finding.ts';
import { parse } from '../../../grammar/index.ts';
import { analyse, runOf } from '../../support/analyse.ts';
import { exampleText, exampleUri } from '../../support/example.ts';
import { good } from '../../support/goodFile.ts';
import { diskHost } from '../../support/host.ts';

test('the message of a bubble pauses while its bound is found, and says what it says at once', () => {
  const name = 'vision-language.pipe';
  const bubbles = () =>
    analyse(exampleText(name), { uri: exampleUri(name), host: diskHost }).findings.filter(
      ({ code }) => code === 'schedule/bubble',
    );
  const [inSteps, atOnce] = [bubbles(), bubbles()];
  expect(inSteps).toHaveLength(3);
  for (const [index, found] of inSteps.entries()) {
    let pauses = 0;
    const steps = messageSteps(found);
    for (let step = steps.next(); ; step = steps.next(), pauses += 1) {
      if (step.done !== true) continue;
      expect(step.value).toBe(atOnce[index].message);
      break;
    }
    expect(pauses).toBeGreaterThan(3);
  }
});

const pausesOf = (steps: Iterator<unknown>): number => {
  for (let pauses = 0; ; pauses += 1) if (steps.next().done === true) return pauses;
};

test('the message of a bubble pauses after each run that its causes and its help take', () => {
  const { analysis } = runOf(`
device gpu { memory = 100GiB }
cluster box { gpu[4] = gpu  link = 4GB/s }
model m { layer block[4] { forward = 10ms  backward = 20ms  output = 1MB  activation = 1MiB  weights = 1MiB } }
pipeline train { model = m  devices = box  stages = balance(4)  microbatches = 4  schedule = 1f1b }
`);
  const found = analysis.findings.find(({ code }) => code === 'schedule/bubble');
  if (found === undefined) throw new Error('no bubble');
  const pauses = pausesOf(messageSteps(found));
  // Five causes, three choices that are run, and those that are better.
  expect(found.message).toContain('it would reach');
  expect(pauses).toBeGreaterThanOrEqual(9);
});

test('an evaluation pauses after the order, the run, the peaks, the path and the report', () => {
  const { plan } = runOf(good);
  expect(pausesOf(evaluation.steps({ plan, options: defaultOptions }))).toBeGreaterThanOrEqual(5);
});

test('each imported file is read in a step', () => {
  const pauses = (imports: string): number =>
    pausesOf(
      resolveSteps({
        ...{ uri: exampleUri('steps.pipe'), syntax: parse(imports + good) },
        ...{ host: diskHost, options: defaultOptions },
        depth: 'names',
      }),
    );
  const [one, two] = [1, 2].map((count) =>
    pauses(
      ['import { h100 } from "std:hardware"\n', 'import { llama3_8b } from "std:models"\n'].slice(0, count).join(''),
    ),
  );
  // Resolved before or not: the files of the standard library are kept.
  expect(one - pauses('')).toBeGreaterThanOrEqual(1);
  expect(two - one).toBeGreaterThanOrEqual(1);
});

test('each device, cluster, model and schedule is read in a step', () => {
  const blocks = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => `device d${at} { memory = 1GiB }
cluster c${at} { gpu[2] = d${at}  link = 1GB/s }
model m${at} { layer l { forward = 1ms  backward = 1ms } }
schedule s${at} { order = greedy(prefer = [B, F]) }
`,
    ).join('');
  const pauses = (count: number): number =>
    pausesOf(
      resolveSteps({
        ...{ uri: exampleUri('steps.pipe'), syntax: parse(good + blocks(count)) },
        ...{ host: diskHost, options: defaultOptions },
      }),
    );
  expect(pauses(5) - pauses(0)).toBeGreaterThanOrEqual(4 * 5);
});
