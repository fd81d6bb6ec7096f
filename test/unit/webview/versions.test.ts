import { describe, expect, it } from 'vitest';
import { F, U, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { stalenessAt, versionsOf } from '../../../engine/simulate/versions.ts';
import { blockLines } from '../../../webview/picture/describe.ts';
import { missedUpdate } from '../../../webview/picture/missedUpdate.ts';
import { versionOfWord } from '../../../webview/picture/versions.ts';
import { example } from '../../browser/example.ts';
import { planOf } from '../../support/resolve.ts';
import { pictureFor } from '../../browser/scene.ts';

const asynchronous = ['pipedream', 'pipedream_2bw', 'pipemare', 'xpipe'].flatMap((name) =>
  example(`systems/${name}`).analysis.pipelines.flatMap(({ plan, run }) => {
    const versions = run === undefined ? undefined : versionsOf(run.program);
    return versions === undefined ? [] : [{ name: `${name}, ${plan.name}`, plan, versions }];
  }),
);

describe('versions of the weights in a picture', () => {
  it('are shown for the asynchronous examples', () => expect(asynchronous.length).toBeGreaterThan(6));

  it.each(asynchronous)('count the updates of each stage in order of time, $name', ({ plan }) => {
    const { columns } = pictureFor(plan);
    const updates = new Map<number, number>();
    for (let block = 0; block < columns.word.length; block += 1) {
      const word = columns.word[block];
      if (word < 0 || kindOf(columns, word) !== U) continue;
      const stage = stageOf(columns, word);
      updates.set(stage, (updates.get(stage) ?? 0) + 1);
      expect(versionOfWord(columns, word)).toBe(updates.get(stage));
    }
    expect(updates.size).toBe(columns.stages);
  });

  it.each(asynchronous)('miss exactly the newest update that was over before, $name', ({ plan, versions }) => {
    const picture = pictureFor(plan);
    const { columns } = picture;
    let stale = 0;
    for (let block = 0; block < columns.word.length; block += 1) {
      const word = columns.word[block];
      if (word < 0 || kindOf(columns, word) === U) continue;
      const [stage, kind] = [stageOf(columns, word), kindOf(columns, word)];
      const slot = stage * columns.microbatches + microbatchOf(columns, word);
      const version = (kind === F ? versions.read : versions.used)[slot];
      // By times alone, over all rows.
      let newest = 0;
      let at = -1;
      for (let other = 0; other < columns.word.length; other += 1) {
        const update = columns.word[other];
        if (update < 0 || kindOf(columns, update) !== U || stageOf(columns, update) !== stage) continue;
        if (columns.end[other] > columns.start[block] + columns.makespan * 1e-12) continue;
        newest += 1;
        if (at < 0 || columns.end[other] > columns.end[at]) at = other;
      }
      const missed = missedUpdate(picture, block);
      if (newest <= version) expect(missed).toBeUndefined();
      else {
        stale += 1;
        expect(missed).toMatchObject({ update: at, version, newest });
        expect(missed?.before).toBeCloseTo(columns.start[block] - columns.end[at], 12);
      }
    }
    // Weights that are read at their moment are never stale; those that are kept are, if updates come in between.
    const updated = versions.read.some((_, slot) => stalenessAt(versions, slot) > 0);
    expect(stale > 0).toBe(updated && versions.rule !== 'latest' && versions.rule !== 'predict');
  });

  it('say how long before the missed version was ready', () => {
    const found = asynchronous.find(({ name }) => name === 'pipedream, stash');
    if (found === undefined) throw new Error('no such example');
    const picture = pictureFor(found.plan);
    const { columns } = picture;
    // PipeDream in its steady state: on stage s of p the backward misses p − 1 − s updates.
    for (let block = 0; block < columns.word.length; block += 1) {
      const word = columns.word[block];
      if (microbatchOf(columns, word) !== 8) continue;
      const [, value] = blockLines(found.plan, picture, block).find(([label]) => label === 'Weights') ?? [];
      const stage = stageOf(columns, word);
      const kind = kindOf(columns, word);
      if (kind === F) expect(value).toBe(`uses version ${8 - (3 - stage)}, the newest`);
      else if (kind === U) expect(value).toBe('makes version 9');
      else if (stage === 3) expect(value).toBe('uses version 8, the newest');
      else expect(value).toMatch(new RegExp(`^uses version ${8 - (3 - stage)}; version 8 was ready .* before$`));
    }
  });

  it('are absent if all operations use the same weights', () => {
    const { analysis } = example('quickstart');
    const picture = pictureFor(analysis.pipelines[0].plan);
    expect(picture.columns.versions).toBeUndefined();
    expect(versionOfWord(picture.columns, picture.columns.word[0])).toBe(-1);
    expect(missedUpdate(picture, 0)).toBeUndefined();
  });
});

describe('parts of a sequence', () => {
  it('miss the updates of their stage', () => {
    const plan = planOf(`schedule mine {
  weights = stash  parts = 2
  let total = microbatches * iterations
  row(d) = F[0, part = 0..1], each(j in 1..<total, F[j, part = 0..1], B[j - 1, part = 1..0 step -1]), B[total - 1, part = 1..0 step -1]
}
device x { memory = 80GiB }
cluster box { gpu[1] = x  link = 10GB/s }
model m { layer a { forward = 4ms  backward = 8ms  weights = 1GiB } }
pipeline train { model = m  devices = box  microbatches = 1  iterations = 4  stages = balance(1)  schedule = mine }`);
    const picture = pictureFor(plan);
    const { columns } = picture;
    const missed: string[] = [];
    for (let block = 0; block < columns.word.length; block += 1) {
      const word = columns.word[block];
      const found = word < 0 ? undefined : missedUpdate(picture, block);
      if (found !== undefined)
        missed.push(
          `${kindOf(columns, word)}.${stageOf(columns, word)} ${microbatchOf(columns, word)}: ${found.newest}`,
        );
    }
    // F2 reads what B0 and U0 have made, so only backwards miss an update: that of the microbatch before.
    expect(missed).toEqual(['1.1 1: 1', '1.0 1: 1', '1.1 2: 2', '1.0 2: 2', '1.1 3: 3', '1.0 3: 3']);
  });
});
