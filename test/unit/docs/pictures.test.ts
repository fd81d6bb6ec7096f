import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journeys } from '../../browser/journeys.ts';
import { figuresOf, recordedFigures } from '../../browser/pictureFigures.ts';
import { scenes } from '../../browser/scenes.ts';
import { editorFigures, editorScenes } from '../../e2e/pictures/scenes.ts';
import { pages, repository, textOf } from './pages.ts';

const recorded = recordedFigures();
/** A million operations take seconds to run: its plan is that of others. */
const tooLong: ReadonlySet<string> = new Set(['big']);

describe('pictures of the preview in docs/images', () => {
  const pictured = [...scenes, ...journeys];

  test('are recorded with their figures, each once', () => {
    const names = pictured.map(({ name }) => name).toSorted();
    expect(new Set(names).size).toBe(names.length);
    const all = [...names, ...editorScenes.map(({ name }) => name)].toSorted();
    expect(Object.keys(recorded)).toEqual(all);
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

describe('pictures of the editor in docs/images', () => {
  // To take a picture again: `node test/e2e/pictures/take.ts NAME`.
  test.each(editorScenes)('$name shows the figures that the engine has today', (scene) => {
    expect(editorFigures(scene)).toBe(recorded[scene.name]);
  });

  test.each(editorScenes)('$name is small, and on a page', ({ name }) => {
    expect(statSync(join(repository, 'docs/images', name)).size).toBeLessThan(300_000);
    expect(pages.filter((page) => textOf(page).includes(`images/${name})`))).not.toEqual([]);
  });
});
