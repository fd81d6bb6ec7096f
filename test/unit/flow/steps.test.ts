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
  const { analysis, run } = runOf(`
device gpu { memory = 100GiB }
cluster box { gpu[4] = gpu  link = 4GB/s }
model m { layer block[4] { forward = 10ms  backward = 20ms  activation = 1MiB  weights = 1MiB } }
pipeline train { model = m  devices = box  stages = balance(4)  microbatches = 4  schedule = 1f1b }
`);
  const found = analysis.findings.find(({ code }) => code === 'schedule/bubble');
  if (found === undefined) throw new Error('no bubble');
  // A bound that is known takes no step.
  expect(run.report.bubble.bound).toBeGreaterThan(0);
  const pauses = pausesOf(messageSteps(found));
  expect(found.message).toContain('it would reach');
  // Five causes, three choices that are run, and those of them that are better.
  expect(pauses).toBeGreaterThanOrEqual(5 + 3 + 1);
  expect(pauses).toBeLessThanOrEqual(5 + 3 + 3);
});

test('an evaluation pauses after the order, the run, the peaks, the path and the report', () => {
  const { plan } = runOf(good);
  expect(pausesOf(evaluation.steps({ plan, options: defaultOptions }))).toBeGreaterThanOrEqual(5);
});

/** Pauses of reading a text so far. */
const readingPauses = (text: string, depth: 'names' | 'definitions'): number =>
  pausesOf(
    resolveSteps({
      ...{ uri: exampleUri('steps.pipe'), syntax: parse(text) },
      ...{ host: diskHost, options: defaultOptions, depth },
    }),
  );

test('each imported file is read in a step', () => {
  const imports = ['import { h100 } from "std:hardware"\n', 'import { llama3_8b } from "std:models"\n'];
  const texts = [0, 1, 2].map((count) => imports.slice(0, count).join('') + good);
  const [none, one, two] = texts.map((text) => {
    // What the files of the standard library mean is kept from then on.
    readingPauses(text, 'names');
    return readingPauses(text, 'names');
  });
  // One pause after the file, one after what the import means.
  expect([one - none, two - one]).toEqual([2, 2]);
});

test('each device, cluster, model and schedule is read in a step', () => {
  const blocks = Array.from(
    { length: 5 },
    (_, at) => `device d${at} { memory = 1GiB }
cluster c${at} { gpu[2] = d${at}  link = 1GB/s }
model m${at} { layer l { forward = 1ms  backward = 1ms } }
schedule s${at} { order = greedy(prefer = [B, F]) }
`,
  ).join('');
  /** Beyond what their names take. */
  const pauses = (text: string): number => readingPauses(text, 'definitions') - readingPauses(text, 'names');
  expect(pauses(good + blocks) - pauses(good)).toBeGreaterThanOrEqual(4 * 5);
});
