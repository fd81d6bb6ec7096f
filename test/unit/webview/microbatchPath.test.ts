import { expect, it } from 'vitest';
import { deviceOf, microbatchOf, stageOf, typeOf } from '../../../webview/picture/blocks.ts';
import type { Picture } from '../../../webview/picture/picture.ts';
import { type PathLink, microbatchPath } from '../../../webview/picture/microbatchPath.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { analyseExample } from '../../support/analyse.ts';

function pictureOfExample(name: string, pipeline?: string): Picture {
  const { pipelines } = analyseExample(name);
  const evaluation = pipelines.find(({ plan }) => pipeline === undefined || plan.name === pipeline);
  if (evaluation?.run === undefined) throw new Error(`${name} has no run of ${pipeline}`);
  return pictureOf(evaluation, evaluation.run, 1);
}

/** `F 0>1`: from device 0 to device 1, with the letter of what is reached. */
const words = (picture: Picture, links: readonly PathLink[]): readonly string[] =>
  links.map(({ from, to }) => `${typeOf(picture, to)} ${deviceOf(picture, from)}>${deviceOf(picture, to)}`);

it('leads down the devices and back', () => {
  const picture = pictureOfExample('quickstart.pipe');
  const { forward, backward } = microbatchPath(picture, 2);
  expect(words(picture, forward)).toEqual(['F 0>1', 'F 1>2', 'F 2>3']);
  // The first link is the turn on the last device.
  expect(words(picture, backward)).toEqual(['B 3>3', 'B 3>2', 'B 2>1', 'B 1>0']);
});

it('is a V in V-shaped schedules, through input gradients, without weight gradients', () => {
  const picture = pictureOfExample('systems/zero_bubble.pipe', 'v');
  const { rows, stages } = picture.columns;
  const { forward, backward } = microbatchPath(picture, 1);
  const down = Array.from({ length: rows - 1 }, (_, device) => `${device}>${device + 1}`);
  const up = Array.from({ length: rows - 1 }, (_, device) => `${rows - 1 - device}>${rows - 2 - device}`);
  expect(stages).toBe(2 * rows);
  expect(words(picture, forward)).toEqual([...down, `${rows - 1}>${rows - 1}`, ...up].map((link) => `F ${link}`));
  expect(words(picture, backward)).toEqual(
    ['0>0', ...down, `${rows - 1}>${rows - 1}`, ...up].map((link) => `I ${link}`),
  );
});

it('begins at the other end for a microbatch of the other direction', () => {
  for (const name of ['systems/chimera.pipe', 'systems/dualpipe.pipe']) {
    const picture = pictureOfExample(name);
    const { rows, microbatches } = picture.columns;
    const entries = new Set(
      Array.from({ length: microbatches }, (_, microbatch) => {
        const { forward, backward } = microbatchPath(picture, microbatch);
        for (const { from, to } of [...forward, ...backward])
          expect([microbatchOf(picture, from), microbatchOf(picture, to)]).toEqual([microbatch, microbatch]);
        const path = [forward[0].from, ...forward.map(({ to }) => to)].map((block) => deviceOf(picture, block));
        const ascending = Array.from({ length: rows }, (_, device) => device);
        expect([ascending, ascending.toReversed()]).toContainEqual(path);
        // Back to where it came from.
        expect(deviceOf(picture, backward[backward.length - 1].to)).toBe(path[0]);
        return path[0];
      }),
    );
    expect(entries, name).toEqual(new Set([0, rows - 1]));
  }
});

it('follows each edge of a graph of stages, and none that is not there', () => {
  const picture = pictureOfExample('vision-language.pipe');
  const { forward } = microbatchPath(picture, 0);
  const edges = new Set(forward.map(({ from, to }) => `${stageOf(picture, from)}>${stageOf(picture, to)}`));
  expect(edges.size).toBe(forward.length);
  const reached = new Set(forward.flatMap(({ from, to }) => [from, to]));
  expect(reached.size).toBeGreaterThan(2);
});

it('is empty for what has no microbatch', () => {
  expect(microbatchPath(pictureOfExample('quickstart.pipe'), -1)).toEqual({ forward: [], backward: [] });
});
