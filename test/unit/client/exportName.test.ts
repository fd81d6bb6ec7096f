import { expect, it } from 'vitest';
import { exportName } from '../../../client/exportName.ts';

it.each([
  ['/a/quickstart.pipe', 'train', 'svg', 'quickstart-train.svg'],
  ['/a/quickstart.pipe', 'train', 'trace', 'quickstart-train.trace.json'],
  ['/a/quickstart.pipe', 'train', 'film', 'quickstart-train.film.svg'],
  ['/a/été 1.pipe', 'wide', 'png', 'été-1-wide.png'],
  ['/a/..pipe', '../../x', 'svg', 'x.svg'],
  ['/', '…', 'svg', 'timeline.svg'],
] as const)('%s, %s as %s is %s', (path, pipeline, format, name) => {
  expect(exportName(path, pipeline, format)).toBe(name);
});
