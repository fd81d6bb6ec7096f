import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { choose, type Offer } from '../../../scripts/checks/choose.ts';
import type { Step } from '../../../scripts/checks/step.ts';
import { quickSteps, steps as realSteps, unitStep } from '../../../scripts/checks/steps.ts';
import { longestFirst, slowUnitFiles } from '../../../scripts/checks/slowUnitFiles.ts';
import { unitFiles } from '../../../scripts/checks/unitFiles.ts';

const step = (name: string, more: Partial<Step> = {}): Step => ({ name, command: [name], ...more });
const offer: Offer = {
  steps: [step('build'), step('unit tests'), step('Browser', { needs: ['build'] }), step('lint')],
  unitStep: 'unit tests',
  unitFiles: ['test/unit/a/plan.test.ts', 'test/unit/a/slow.test.ts', 'test/unit/b/planCut.test.ts'],
  quickSteps: ['lint'],
  quickFiles: ['test/unit/a/plan.test.ts', 'test/unit/b/planCut.test.ts'],
};

function chosen(...words: string[]) {
  const choice = choose(words, offer);
  if ('problem' in choice) throw new Error(choice.problem);
  return { commands: choice.steps.map(({ command }) => command.join(' ')), said: choice.said };
}
function problem(...words: string[]): string {
  const choice = choose(words, offer);
  return 'problem' in choice ? choice.problem : 'no problem';
}

describe('npm test -- WORD', () => {
  it('runs everything without a word', () => {
    expect(chosen()).toEqual({ commands: ['build', 'unit tests', 'Browser', 'lint'], said: 'Every check' });
  });

  it('runs the unit test files whose path holds the word', () => {
    expect(chosen('plan')).toEqual({
      commands: ['unit tests test/unit/a/plan.test.ts test/unit/b/planCut.test.ts'],
      said: 'Chosen: test/unit/a/plan.test.ts, test/unit/b/planCut.test.ts',
    });
  });

  it('runs a step with what it needs, whatever the case of its name', () => {
    expect(chosen('browser')).toEqual({ commands: ['build', 'Browser'], said: 'Chosen: build, Browser' });
  });

  it('runs all unit tests if their step is named, also among other words', () => {
    expect(chosen('unit', 'slow').commands).toEqual(['unit tests']);
  });

  it('adds what each word names', () => {
    expect(chosen('slow', 'lint').commands).toEqual(['unit tests test/unit/a/slow.test.ts', 'lint']);
  });

  it('runs the quick steps and the quick unit tests', () => {
    expect(chosen('quick').commands).toEqual([
      'unit tests test/unit/a/plan.test.ts test/unit/b/planCut.test.ts',
      'lint',
    ]);
    expect(chosen('quick', 'slow').commands).toEqual([
      'unit tests test/unit/a/plan.test.ts test/unit/a/slow.test.ts test/unit/b/planCut.test.ts',
      'lint',
    ]);
  });

  it('refuses a word that matches nothing, with a guess and all that can be named', () => {
    expect(problem('lint', 'planCutt')).toBe(
      'No step and no unit test file has "planCutt" in its name. Did you mean "planCut"?\n' +
        'Give "quick", a part of a path under test/unit, or a part of a step\'s name: build, unit tests, Browser, lint.',
    );
  });
});

test('the steps and files that the choice names exist', () => {
  const names = realSteps.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([unitStep, ...quickSteps]));
  for (const { needs = [] } of realSteps) expect(names).toEqual(expect.arrayContaining([...needs]));
  const root = path.resolve(import.meta.dirname, '../../..');
  expect(slowUnitFiles.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(unitFiles()).toEqual(expect.arrayContaining([...slowUnitFiles, 'test/unit/scripts/choose.test.ts']));
});

test('files that take long are started first, and others keep their order', () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const [slowest, second] = slowUnitFiles;
  const files = ['test/unit/a.test.ts', second, 'test/unit/b.test.ts', slowest].map((file) => ({
    moduleId: path.join(root, file).replaceAll('\\', '/'),
  }));
  expect(longestFirst(files)).toEqual([files[3], files[1], files[0], files[2]]);
});
