import { expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { bucketName, bucketOf } from '../../../webview/picture/lanes.ts';
import { leadingPieces } from '../../../webview/picture/laneWalk.ts';
import { layerStrips } from '../../../webview/picture/layerStrips.ts';
import type { Picture } from '../../../webview/picture/picture.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { planOf } from '../../support/resolve.ts';
import { frontFirst, toyExchange as toy } from '../support/toyExchange.ts';

function shown(text: string): Picture {
  const evaluation = evaluate(planOf(text), defaultOptions);
  if (evaluation.run === undefined) throw new Error(evaluation.findings.map(({ message }) => message).join());
  return pictureOf(evaluation, evaluation.run, 1);
}

/** Milliseconds. */
const rounded = (seconds: number): number => Number((seconds * 1e3).toFixed(6));

const words = (picture: Picture): readonly string[] =>
  layerStrips(picture).map(
    ({ device, side, from, to, lane, bucket }) =>
      `${device} ${side} ${bucketName(lane, bucket)} ${rounded(from)}–${rounded(to)}`,
  );

it('layers of the first forward are in order, those of the last backward in reverse', () => {
  expect(words(shown(toy(frontFirst)))).toEqual([
    '0 needs front 0–1',
    '0 needs mid 1–2',
    '0 needs back 2–3',
    '0 makes back 3–4',
    '0 makes mid 4–5',
    '0 makes front 5–6',
  ]);
});

it('each stage has the layers of its own lane, in its first forward and in its last backward alone', () => {
  const picture = shown(`
model two {
  layer a1 { forward = 1ms backward = 2ms weights = 20MB } layer b1 { forward = 1ms backward = 2ms weights = 100MB }
  layer a2 { forward = 1ms backward = 2ms weights = 20MB } layer b2 { forward = 1ms backward = 2ms weights = 100MB }
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline train {
  model = two  devices = quad  microbatches = 4  stages = balance(2)  schedule = 1f1b  data = 2
  sync = overlap(order = forward, barrier = false, partition = 10MB)
}
`);
  const { columns } = picture;
  const first = (device: number) => rounded(columns.start[columns.offsets[device]]);
  const last = (device: number) => rounded(columns.end[columns.offsets[device + 1] - 1]);
  for (const device of [0, 1]) {
    const [a, b] = [`a${device + 1}`, `b${device + 1}`];
    expect(words(picture).filter((text) => text.startsWith(`${device} `))).toEqual([
      `${device} needs ${a} ${first(device)}–${first(device) + 1}`,
      `${device} needs ${b} ${first(device) + 1}–${first(device) + 2}`,
      `${device} makes ${b} ${last(device) - 4}–${last(device) - 2}`,
      `${device} makes ${a} ${last(device) - 2}–${last(device)}`,
    ]);
  }
});

it('there are none without an exchange', () => {
  expect(layerStrips(shown(toy('sync = end')))).toEqual([]);
});

/** `layers` layers of 1 ms, of which `large` has ten times the bytes of the others. */
const many = (layers: number, large: number): string =>
  toy(frontFirst).replace(
    /model toy \{[^}]*(?:\}[^}]*){3}\}/,
    `model toy {\n${Array.from({ length: layers }, (_, layer) => `  layer l${layer} { forward = 1ms  backward = 1ms  weights = ${layer === large ? 90 : 9}MB }`).join('\n')}\n}`,
  );

const leading = (picture: Picture): readonly string[] => {
  const { lanes } = picture;
  if (lanes === undefined) throw new Error('no lanes');
  return leadingPieces(lanes, 0).map((piece) => `${bucketName(lanes.all[0], bucketOf(lanes, piece))} ${piece.row}`);
};

it('arrows at rest lead to the first piece of each of up to four layers', () => {
  // In order of the lane: the gradients of the last layer are ready first, and its other pieces wait for the front.
  expect(leading(shown(toy(frontFirst)))).toEqual(['back 0', 'mid 1', 'front 2']);
  expect(leading(shown(many(4, 2)))).toHaveLength(4);
});

it('of more layers they lead to the one that comes latest for its forward', () => {
  for (const large of [0, 3, 5])
    expect(leading(shown(many(6, large))).map((text) => text.split(' ')[0])).toEqual([`l${large}`]);
});
