/** Layers of figures alone are read once for their text. What is wrong with them is reported wherever they are written. */
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const file = (layer: string): string => `model m {
  layer a { ${layer} }
  layer b { ${layer} }
}
`;
const said = (layer: string) =>
  analyse(file(layer)).findings.map(({ code, place }) => [code, file(layer).slice(place.start, place.end)]);

test.each([
  ['weights = 1MiB', 'layer/no-cost', ['a', 'b']],
  ['forward = 2ms  backward = 3ms  backward = 4ms', 'key/duplicate', ['backward', 'backward']],
  ['forward = 2ms', 'key/missing', ['a', 'b']],
  ['forward = 2ms  backward = 3ms  tokens = 4', 'key/not-applicable', ['tokens', 'tokens']],
])('%s: %s, at each layer and each time', (layer, code, places) => {
  const expected = places.map((place) => [code, place]);
  expect(said(layer)).toEqual(expected);
  expect(said(layer)).toEqual(expected);
});

test('a layer that needs another one is not the same everywhere', () => {
  const text = `model m {
  layer a { forward = 1ms  backward = 2ms }
  layer b { forward = 1ms  backward = 2ms }
  layer c { forward = 1ms  backward = 2ms  after = a, b }
}
device d { memory = 1GiB }
cluster c { gpu[1] = d }
pipeline p { model = m  devices = c  microbatches = 2  stages = balance(1)  schedule = gpipe }
`;
  const { resolution } = analyse(text);
  expect(analyse(text).resolution.plan).toEqual(resolution.plan);
  const edited = text.replaceAll('layer a { forward = 1ms', 'layer a { forward = 5ms');
  const [before, after] = [text, edited].map((each) => analyse(each).pipelines[0]?.run?.report.iteration ?? NaN);
  expect(after - before).toBeCloseTo(2 * 4e-3, 12);
});
