/**
 * fast-check for every property test, with one `assert`: import this module as `fc` instead of the package.
 *
 * `PIPEWRIGHT_RUNS=10` runs each property ten times as often, `PIPEWRIGHT_SEED=N` runs all of them with that seed.
 * A property that fails says how to run it again.
 */
import path from 'node:path';
import * as fastCheck from 'fast-check';
import { expect } from 'vitest';
import { runMultiplier } from './runMultiplier.ts';

export * from 'fast-check';

const root = path.resolve(import.meta.dirname, '../..');
const usualRuns = 100;

/** Throws where the property fails: the counterexample, its seed, and the command that finds it again. */
export function assert<Values>(
  property: fastCheck.IAsyncProperty<Values>,
  parameters?: fastCheck.Parameters<Values>,
): Promise<void>;
export function assert<Values>(property: fastCheck.IProperty<Values>, parameters?: fastCheck.Parameters<Values>): void;
export function assert<Values>(
  property: fastCheck.IProperty<Values> | fastCheck.IAsyncProperty<Values>,
  parameters: fastCheck.Parameters<Values> = {},
): Promise<void> | void {
  const seed = process.env['PIPEWRIGHT_SEED'];
  const test = expect.getState().testPath;
  return fastCheck.assert(property as fastCheck.IRawProperty<Values>, {
    ...parameters,
    numRuns: Math.round((parameters.numRuns ?? usualRuns) * runMultiplier()),
    ...(seed === undefined || seed === '' ? {} : { seed: seedNumber(seed) }),
    reporter: (details) => {
      if (!details.failed) return;
      throw new Error(`${fastCheck.defaultReportMessage(details)}\n\n${repeat(details.seed, test)}`, {
        cause: details.errorInstance,
      });
    },
  });
}

function repeat(seed: number, test: string | undefined): string {
  const runs = process.env['PIPEWRIGHT_RUNS'];
  const variables = [
    ...(runs === undefined || runs === '' ? [] : [`PIPEWRIGHT_RUNS=${runs}`]),
    `PIPEWRIGHT_SEED=${seed}`,
  ];
  return `Run it again with: ${variables.join(' ')} npx vitest run ${test === undefined ? '' : path.relative(root, test)}`;
}

function seedNumber(text: string): number {
  const seed = Number(text);
  if (!Number.isInteger(seed))
    throw new Error(`PIPEWRIGHT_SEED is "${text}": give a whole number, such as -407930090.`);
  return seed;
}
