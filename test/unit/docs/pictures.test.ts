import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journeys } from '../../browser/journeys.ts';
import { figuresOf, recordedFigures } from '../../browser/pictureFigures.ts';
import { scenes } from '../../browser/scenes.ts';
import { repository } from './pages.ts';

const recorded = recordedFigures();
/** A million operations take seconds to run: its plan is that of others. */
const tooLong: ReadonlySet<string> = new Set(['big']);

describe('pictures of the preview in docs/images', () => {
  const pictured = [...scenes, ...journeys];

  test('are recorded with their figures, each once', () => {
    const names = pictured.map(({ name }) => name).toSorted();
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(recorded)).toEqual(names);
    const files = readdirSync(join(repository, 'docs/images'));
    const taken = files.flatMap((file) => /^(?:page|after)-(.+?)(?:-light)?\.webp$/.exec(file)?.[1] ?? []);
    expect([...new Set(taken)].toSorted()).toEqual(names);
  });

  // To take a picture again: `npm run screenshots -- NAME`.
  const files = new Map(pictured.filter(({ name }) => !tooLong.has(name)).map(({ name, file }) => [name, file]));
  const known = new Map<string, string>();
  test.each([...files])('%s shows the figures that the engine has today', (name, file) => {
    const figures = known.get(file.text) ?? figuresOf(file);
    known.set(file.text, figures);
    expect(figures).toBe(recorded[name]);
  });
});
