/** What the editor shows of fill jobs and of models that are loaded while they run. */
import { expect, test } from 'vitest';
import { hoverAt, labelsAt } from '../../support/asked.ts';
import { toy } from './samples.ts';

const filled = (value: string): string => toy.replace('pipeline train {', `pipeline train {\n  fill = ${value}\n`);
const loading = `device gpu { memory = 16GiB }
cluster host { gpu[1] = gpu }
model net { layer block[4] { forward = 1ms  backward = 0ms  weights = 2MB } }
pipeline serve { model = net  devices = host  microbatches = 1  schedule = $0pipeswitch(bandwidth = 1GB/s, call = 0us, sync = 0us) }
`;

test('the hover of a pipeline says what its idle devices do', async () => {
  // A task of 12 ms: two fit wherever 1F1B leaves 24 ms.
  const text = await hoverAt(filled('training(toy)').replace('pipeline train', 'pipeline $0train'));
  expect(text).toMatch(/Fill: training toy: \d+ tasks \([\d.]+ passes\) in [\d.]+ % of the idle time\./);
  const none = await hoverAt(
    filled('huge')
      .replace('pipeline train', 'pipeline $0train')
      .concat('\nmodel huge { layer all { forward = 100s  backward = 0s } }\n'),
  );
  expect(none).toMatch(/gpu\[0\]: all \(100 s, 0 B\) fits into no idle interval; the longest is /);
});

test('the hover of pipeswitch has the finish of each grouping', async () => {
  const text = await hoverAt(loading);
  // Loads of 2 ms and runs of 1 ms: 4 · 2 + 1 layer by layer, 8 + 4 at once. Groups of 2, 1 and 1 are as early as single layers.
  expect(text).toMatch(/`best` \(3 groups\) 9 ms, `per_layer` 9 ms, `one` 12 ms/);
  expect(text).toMatch(/schedules\/pipeswitch\.md/);
});

test('completion offers models and kinds of work for a fill job, and groups for pipeswitch', async () => {
  expect(await labelsAt(filled('$0'))).toEqual(expect.arrayContaining(['toy', 'inference', 'training']));
  expect(await labelsAt(filled('training($0)'))).toContain('toy');
  const arguments_ = await labelsAt(
    loading.replace('$0', '').replace('bandwidth = 1GB/s, call = 0us, sync = 0us', '$0'),
  );
  expect(arguments_).toEqual(expect.arrayContaining(['groups', 'bandwidth', 'call', 'sync']));
});
