import { nearest } from '../../engine/basics/spelling.ts';
import type { Step } from './step.ts';

/** What `npm test` can run, and what `quick` means. */
export interface Offer {
  readonly steps: readonly Step[];
  /** The step that runs unit tests; it takes files as further arguments. */
  readonly unitStep: string;
  readonly unitFiles: readonly string[];
  readonly quickSteps: readonly string[];
  readonly quickFiles: readonly string[];
}

export type Choice = { readonly steps: readonly Step[]; readonly said: string } | { readonly problem: string };

/**
 * The steps that words on the command line ask for: all of them without a word; for `quick` those of a minute; for any other word
 * the steps whose name holds it, with what they need, and the unit test files whose path holds it.
 */
export function choose(words: readonly string[], offer: Offer): Choice {
  const { steps, unitStep } = offer;
  if (words.length === 0) return { steps, said: 'Every check' };
  const names = new Set<string>();
  const files = new Set<string>();
  for (const word of words) {
    const { names: moreNames, files: moreFiles } = matches(word, offer);
    if (moreNames.length + moreFiles.length === 0) return { problem: nothingFor(word, offer) };
    for (const name of moreNames) names.add(name);
    for (const file of moreFiles) files.add(file);
  }
  const allUnit = names.has(unitStep);
  if (files.size > 0) names.add(unitStep);
  for (const name of names) for (const need of steps.find((step) => step.name === name)?.needs ?? []) names.add(need);
  const chosen = steps
    .filter(({ name }) => names.has(name))
    .map((step) =>
      step.name === unitStep && !allUnit ? { ...step, command: [...step.command, ...[...files].toSorted()] } : step,
    );
  return { steps: chosen, said: said(chosen, allUnit ? undefined : [...files].toSorted(), offer) };
}

function matches(word: string, { steps, unitStep, unitFiles, quickSteps, quickFiles }: Offer) {
  if (word === 'quick') return { names: quickSteps, files: quickFiles };
  const lower = word.toLowerCase();
  const names = steps.map(({ name }) => name).filter((name) => name.toLowerCase().includes(lower));
  // The step of all unit tests holds every file.
  const files = names.includes(unitStep) ? [] : unitFiles.filter((file) => file.toLowerCase().includes(lower));
  return { names, files };
}

function said(steps: readonly Step[], files: readonly string[] | undefined, { unitStep, unitFiles }: Offer): string {
  const parts = steps.map(({ name }) => {
    if (name !== unitStep || files === undefined) return name;
    if (files.length <= 5) return files.join(', ');
    return `${files.length} of ${unitFiles.length} unit test files`;
  });
  return `Chosen: ${parts.join(', ')}`;
}

function nothingFor(word: string, { steps, unitFiles }: Offer): string {
  const names = steps.map(({ name }) => name);
  const parts = unitFiles.flatMap((file) =>
    file
      .replace(/\.test\.ts$/, '')
      .split('/')
      .slice(2),
  );
  const guess = nearest(word, ['quick', ...names, ...parts]);
  return [
    `No step and no unit test file has "${word}" in its name.${guess === undefined ? '' : ` Did you mean "${guess}"?`}`,
    `Give "quick", a part of a path under test/unit, or a part of a step's name: ${names.join(', ')}.`,
  ].join('\n');
}
