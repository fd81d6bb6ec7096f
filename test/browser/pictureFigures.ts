/**
 * The figures that the pictures of the documentation show, as the engine has them. `pictures.ts` writes them down with each picture, and a
 * test compares them with those of today: a picture whose figures have changed is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { check } from '../../engine/flow/check.ts';
import { bytes, iterationTime, share } from '../../engine/basics/quantities.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import { exampleCards } from '../../scripts/exampleCards.ts';
import { diskHost } from '../support/host.ts';
import type { TextFile } from './editor.ts';

const record = path.join(import.meta.dirname, '../../docs/images/figures.json');

/** Iteration, bubble and peak of each pipeline of the file; those of the examples that an empty file offers. */
export function figuresOf({ uri, text }: TextFile): string {
  const cards = (): readonly string[] =>
    exampleCards().map(({ name, iteration, bubble }) => `${name}: ${iterationTime(iteration)}, ${share(bubble)}`);
  if (text === '') return cards().join('; ');
  const { pipelines } = check({ uri, text, host: diskHost, options: defaultOptions });
  return pipelines
    .map(({ plan, run }) => {
      if (run === undefined) return `${plan.name}: does not run`;
      const { iteration, bubble, devices } = run.report;
      const peak = Math.max(...devices.map((device) => device.peak));
      return `${plan.name}: ${iterationTime(iteration)}, ${share(bubble.makespan)}, ${bytes(peak)}`;
    })
    .join('; ');
}

export const recordedFigures = (): Readonly<Record<string, string>> => JSON.parse(readFileSync(record, 'utf8'));

/** Notes the figures of pictures that were just taken, by their names. */
export function noteFigures(taken: readonly (readonly [name: string, figures: string])[]): void {
  const figures = { ...recordedFigures(), ...Object.fromEntries(taken) };
  const sorted = Object.entries(figures).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(record, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}
