import { describe, expect, it } from 'vitest';
import { eachBlock } from '../../../engine/drawing/blocks.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { paths } from '../../../engine/values/plan.ts';
import { B, F, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { criticalPathWords } from '../../../webview/picture/criticalPath.ts';
import { tensorsOfBlock } from '../../../webview/picture/blockTensors.ts';
import { gapAt } from '../../../webview/picture/blocks.ts';
import { idleFrom, idleUntil, optimizerWord } from '../../../webview/picture/columns.ts';
import { bubblesBySize } from '../../../webview/picture/bubbles.ts';
import { gapLines, gapTitle } from '../../../webview/picture/describe.ts';
import { type PieceRow, bucketName, pieceAt, shiftsOf } from '../../../webview/picture/lanes.ts';
import { neighbour, nextPiece } from '../../../webview/picture/laneWalk.ts';
import { nextForwardAt, pieceLines, pieceTitle, whyItWaited } from '../../../webview/picture/laneWords.ts';
import { find, parseQuery } from '../../../webview/input/query.ts';
import { pickAt } from '../../../webview/input/pick.ts';
import { figuresOf } from '../../../webview/session/figures.ts';
import { highlightFor } from '../../../webview/session/highlight.ts';
import { targetTimes } from '../../../webview/session/selection.ts';
import { shownTimeline } from '../../../webview/session/shownTimeline.ts';
import { pathOf } from '../../../webview/session/source.ts';
import { shapeText } from '../../../webview/view/panels/shape.ts';
import { groupedLayout } from '../../../webview/view/scene/groupedLayout.ts';
import { rowShape } from '../../../webview/view/scene/rowShape.ts';
import { paletteFrom, themeFrom } from '../../../webview/view/scene/theme.ts';
import { initialViewport } from '../../../webview/view/scene/viewport.ts';
import { comparison } from '../../../webview/worker/comparison.ts';
import { handOver } from '../../../webview/worker/handOver.ts';
import { columnsOf } from '../../../webview/worker/makeColumns.ts';
import { draw } from '../../../webview/worker/draw.ts';
import { hueColours } from '../../../webview/worker/palette.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { frontFirst, toyExchange as toy } from '../support/toyExchange.ts';
import { planOf } from '../../support/resolve.ts';

/** Layers of 1 ms forward, 2 ms backward, of 20 MB and 100 MB, two on each of two stages. */
const stages = `
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
`;

/** Two stages through one network card in each of two nodes. */
const crowded = `
model two { precision = fp32  layer block[2] { forward = 1ms  backward = 1ms  weights = 1GB } }
device gpu { memory = 80GiB }
cluster pair {
  switch core {}
  node[2] { gpu[4] = gpu  switch nic { ports = gpu[0..3]  link = 100GB/s }  link nic -- core = 10GB/s }
}
pipeline train {
  model = two  devices = pair  microbatches = 1  stages = balance(2)  schedule = 1f1b  data = 4
  rank_order = tp_cp_pp_dp  sync = overlap(order = forward)
}
`;

function shown(text: string) {
  const plan = planOf(text);
  const evaluation = evaluate(plan, defaultOptions);
  const { run } = evaluation;
  if (run === undefined) throw new Error(evaluation.findings.map(({ message }) => message).join());
  const picture = pictureOf(evaluation, run, 1);
  return { plan, run, picture };
}

function lanesIn(picture: ReturnType<typeof shown>['picture']) {
  if (picture.lanes === undefined) throw new Error('no lanes');
  return picture.lanes;
}

describe('tensors of a block', () => {
  const { picture } = shown(stages);
  const lanes = lanesIn(picture);
  /** `b1` for a tensor whose pieces are of this iteration, `b1 before` for one of the iteration before. */
  const tensorsAt = (device: number, kind: number, microbatch: number): readonly string[] | undefined => {
    const { columns } = picture;
    const codes = { shift: columns.shift, stages: columns.stages };
    const block = columns.word.findIndex(
      (code) =>
        code >= 0 &&
        kindOf(codes, code) === kind &&
        stageOf(codes, code) === device &&
        microbatchOf(codes, code) === microbatch,
    );
    const wanted = tensorsOfBlock(picture, block);
    return (
      wanted &&
      shiftsOf(lanes).flatMap((shift) =>
        lanes.all.flatMap((lane) =>
          lane.tensors.flatMap(({ layer }, tensor) =>
            wanted(lane, tensor, shift) ? `${layer}${shift < 0 ? ' before' : ''}` : [],
          ),
        ),
      )
    );
  };
  it('are those of the last backward of its stage, and none of an earlier one', () => {
    expect(tensorsAt(1, B, 3)).toEqual(['a2', 'b2']);
    expect(tensorsAt(0, B, 3)).toEqual(['a1', 'b1']);
    expect(tensorsAt(0, B, 2)).toEqual([]);
    expect(tensorsAt(0, F, 3)).toEqual([]);
  });
  it('are those that the first forward of its stage waits for', () => {
    expect(tensorsAt(0, F, 0)).toEqual(['a1 before', 'b1 before']);
    expect(tensorsAt(1, F, 0)).toEqual(['a2 before', 'b2 before']);
    expect(tensorsAt(1, F, 1)).toEqual([]);
  });
  it("are of the layer at the editor's cursor", () => {
    const { plan } = shown(stages);
    expect(highlightFor(plan, [[paths.layer('two', 'b1')]]).layers).toEqual(new Set(['b1']));
    expect(highlightFor(plan, [[paths.stage('train', 0)]]).layers).toEqual(new Set());
  });
});

describe('lanes of the preview', () => {
  it('hold every piece of the simulation, and nothing where no rule orders an exchange', () => {
    const { run, picture } = shown(toy(frontFirst));
    const lanes = lanesIn(picture);
    const [lane] = lanes.all;
    const sent = run.timeline.exchange?.lanes[0].sent;
    expect(Array.from(lane.legs[0].start)).toEqual(Array.from(sent?.start.slice(0, sent.length) ?? []));
    expect(Array.from(lane.legs[0].bucket, (bucket) => bucketName(lane, bucket))).toEqual([
      'back',
      'mid',
      'front',
      'back',
      'back',
      'back',
    ]);
    expect(shown(toy('')).picture.lanes).toBeUndefined();
    expect(shown(toy('')).picture.columns.horizon).toBeUndefined();
  });

  it('say of a piece how much longer it takes because stages share a link', () => {
    // Two trees of two nodes bring 1 GB up and down at 0.92 · 2 · 10 GB/s in 108.7 ms. Both stages do so, one 1 ms after the other.
    const { plan, picture } = shown(crowded);
    expect(lanesIn(picture).all.map(({ legs }) => legs[0].shared?.map((seconds) => Math.round(seconds * 1e3)))).toEqual(
      [Float64Array.of(108), Float64Array.of(108)],
    );
    const lines = Object.fromEntries(pieceLines(plan, picture, 0, { lane: 0, leg: 0, row: 0, shift: 0 }));
    expect(lines).toMatchObject({ 'Shared links': '108 ms longer, as other stages send through them' });
    const { picture: alone, plan: same } = shown(toy(frontFirst));
    expect(
      Object.keys(Object.fromEntries(pieceLines(same, alone, 0, { lane: 0, leg: 0, row: 0, shift: 0 }))),
    ).not.toContain('Shared links');
  });
  it('have a row for pushes and one for pulls, and halves that are apart', () => {
    const names = (rule: string) => lanesIn(shown(toy(rule)).picture).all[0].legs.map(({ name }) => name);
    expect(names('sync = p3  collective = ps(servers = 2, link = 10GB/s)')).toEqual(['push', 'pull']);
    expect(names('sync = dear')).toEqual(['scatter', 'gather']);
    expect(names('sync = ddp')).toEqual(['send']);
  });

  it('show two iterations where they follow without a barrier, otherwise one', () => {
    const free = shown(toy(frontFirst)).picture;
    expect(free.columns.period).toBeCloseTo(9.2e-3, 12);
    expect(free.columns.horizon).toBeCloseTo(15.2e-3, 12);
    expect(shiftsOf(lanesIn(free))).toEqual([-1, 0, 1]);
    const barred = shown(toy('sync = ddp')).picture;
    expect(barred.columns.period).toBeUndefined();
    expect(barred.columns.horizon).toBeUndefined();
    expect(shiftsOf(lanesIn(barred))).toEqual([0]);
    // Only floats within an iteration are known.
    expect(free.slack).toBeUndefined();
    expect(barred.slack).toBeDefined();
  });

  it('find the piece at a time, also of the iterations before and after', () => {
    const { picture } = shown(toy(frontFirst));
    const lanes = lanesIn(picture);
    const [leg] = lanes.all[0].legs;
    for (let time = 0; time < 15.2; time += 0.1) {
      const at = time * 1e-3 + 0.03e-3;
      const found = pieceAt(lanes, 0, 0, at);
      const expected = [-1, 0, 1].flatMap((shift) =>
        Array.from(leg.start.keys(), (row): PieceRow => ({ lane: 0, leg: 0, row, shift })).filter(
          ({ row }) => leg.start[row] + shift * lanes.period <= at && at < leg.end[row] + shift * lanes.period,
        ),
      );
      expect(found === undefined ? [] : [found]).toEqual(expected);
    }
    expect(pieceAt(lanes, 0, 1, 5e-3)).toBeUndefined();
    expect(targetTimes(picture, { kind: 'piece', device: 0, piece: { lane: 0, leg: 0, row: 0, shift: 1 } })).toEqual([
      expect.closeTo(13.2e-3, 12),
      expect.closeTo(14.4e-3, 12),
    ]);
  });

  it('leave idle time that adds up, with the blocks, to the period', () => {
    for (const text of [toy(frontFirst), toy('sync = pace'), stages]) {
      const { picture } = shown(text);
      const { columns } = picture;
      const idle = bubblesBySize(picture).reduce((sum, { from, to }) => sum + to - from, 0);
      const busy = columns.end.reduce((sum, end, block) => sum + end - columns.start[block], 0);
      expect(idle + busy).toBeCloseTo((columns.period ?? 0) * columns.rows, 12);
    }
  });

  it('say which layer an iteration waits for, and when its gradients arrive', () => {
    const { plan, picture } = shown(toy(frontFirst));
    const gap = gapAt(picture, 0, 8e-3);
    if (gap === undefined) throw new Error('no gap');
    expect([gap.from, gap.to]).toEqual([expect.closeTo(6e-3, 12), expect.closeTo(9.2e-3, 12)]);
    expect(gapTitle(plan, picture, gap)).toBe('gpu[0] waits 3.2 ms for gradients');
    expect(gapLines(plan, picture, gap).slice(3)).toEqual([
      ['Waits for', 'the gradients of back, which arrive at 11.2 ms'],
    ]);
  });

  it('say of a piece when it was ready, sent and needed, and what it waited for', () => {
    const { plan, picture } = shown(toy(frontFirst));
    const lanes = lanesIn(picture);
    const last: PieceRow = { lane: 0, leg: 0, row: 5, shift: 0 };
    expect(pieceTitle(picture, last)).toBe('Piece of back');
    expect(Object.fromEntries(pieceLines(plan, picture, 0, last))).toMatchObject({
      Device: 'gpu[0]',
      Layer: 'back',
      Bucket: '38.1 MiB, 1 tensor, ring',
      Piece: '9.54 MiB',
      Ready: '4 ms',
      Sent: '10 ms – 11.2 ms',
      Calls: '200 µs',
      Waited: '6 ms for mid and front',
      Arrived: '11.2 ms',
    });
    expect(whyItWaited(lanes.all[0], 0, 0)).toBe('');
    expect(whyItWaited(lanes.all[0], 0, 1)).toBe('200 µs for back');
    // The next forward comes to the layer just when its gradients are there.
    expect(nextForwardAt(picture, lanes.all[0], 2)).toBeCloseTo(11.2e-3, 12);
    const late = pieceLines(plan, picture, 0, { ...last, shift: 1 });
    expect(Object.fromEntries(late)).toMatchObject({ Ready: '13.2 ms', Iteration: 'the next one' });
  });

  it('lead to the line of the layer, and are found by it', () => {
    const { plan, picture } = shown(toy(frontFirst));
    const piece: PieceRow = { lane: 0, leg: 0, row: 1, shift: 0 };
    expect(pathOf(plan, picture, { kind: 'piece', device: 0, piece })).toBe(paths.layer('toy', 'mid'));
    const two = shown(stages);
    const query = parseQuery('layer:b2 kind:F');
    if (typeof query === 'string') throw new Error(query);
    const { shift, stages: count } = two.picture.columns;
    const found = find(two.plan, two.picture, query);
    expect(Array.from(found, (block) => (two.picture.columns.word[block] >> shift) % count)).toEqual([1, 1, 1, 1]);
    expect(parseQuery('layer>3')).toBe('"layer>3": write layer:name');
  });

  it('follow blocks, not a step: without a barrier layers step before their next forwards', () => {
    for (const [rule, steps] of [
      ['sync = pace', 0],
      ['sync = ddp', 1],
    ] as const) {
      const { plan, run } = shown(toy(rule));
      const timing = { ...run.timeline.timing, optimizer: Float64Array.of(1e-3) };
      const timeline = { ...run.timeline, timing };
      const { word } = columnsOf(plan, timeline);
      expect(Array.from(word).filter((code) => code === optimizerWord)).toHaveLength(steps);
      let drawn = 0;
      eachBlock(plan, { ...run, timeline }, ({ inks }) => (drawn += Number(inks[0] === 'optimizer')));
      expect(drawn).toBe(steps);
    }
  });

  it('leave a device busy at the start if the iteration before runs into this one', () => {
    const { columns } = shown(stages).picture;
    expect(idleFrom(columns, 0)).toBe(0);
    expect(idleFrom({ ...columns, period: 25e-3 }, 0)).toBeCloseTo(5e-3, 12);
    expect(idleUntil({ ...columns, period: 25e-3 }, 1)).toBeCloseTo(27e-3, 12);
  });

  it('are handed over to the page, not copied', () => {
    const { picture } = shown(toy(frontFirst));
    const before = structuredClone(picture.lanes);
    const { picture: given, buffers } = handOver(picture, true);
    const [{ name, ...columns }] = lanesIn(given).all[0].legs;
    expect(name).toBe('send');
    for (const values of Object.values(columns)) expect(buffers).toContain(values.buffer);
    expect(structuredClone(given, { transfer: [...buffers] }).lanes).toEqual(before);
  });

  it('are walked by keys, from a block to its lane and along it', () => {
    const { picture } = shown(stages);
    const place = nextPiece(picture.lanes, 1, 27.2e-3);
    expect(place).toEqual({ device: 1, piece: { lane: 1, leg: 0, row: 2, shift: 0 } });
    if (place === undefined) return;
    expect(neighbour(picture, place, -1).piece.row).toBe(1);
    expect(neighbour(picture, neighbour(picture, neighbour(picture, place, 1), 1), 1).piece.row).toBe(4);
    expect(nextPiece(picture.lanes, 1, 50e-3)).toBeUndefined();
    expect(nextPiece(undefined, 0, 0)).toBeUndefined();
  });

  it('are picked under the blocks of their device', () => {
    const { plan, picture } = shown(stages);
    const timeline = shownTimeline(plan, picture);
    const layout = groupedLayout(timeline, { width: 1200, height: 700 }, true, true, new Set());
    const { rows, horizon = 0 } = picture.columns;
    const view = initialViewport({ makespan: horizon, rows, width: layout.plot, height: layout.rows.height });
    const shape = rowShape(view.rowHeight, false, layout.map.legs);
    const x = (seconds: number) => layout.left + (seconds / horizon) * layout.plot;
    const y = (device: number) => layout.rows.y + device * view.rowHeight + shape.exchangeTop + shape.legHeight / 2;
    const at = (device: number, seconds: number) => pickAt(picture, view, layout, x(seconds), y(device));
    expect(at(0, 30.5e-3)).toMatchObject({ target: { kind: 'piece', device: 0, piece: { lane: 0, row: 1 } } });
    expect(at(1, 26e-3)).toMatchObject({ target: { kind: 'piece', device: 1, piece: { lane: 1, row: 0 } } });
    expect(at(1, 26e-3 + 39e-3)).toMatchObject({ target: { piece: { lane: 1, row: 0, shift: 1 } } });
    expect(at(0, 10e-3)).toEqual({ kind: 'nothing' });
    const above = layout.rows.y + shape.bandTop + shape.bandHeight / 2;
    expect(pickAt(picture, view, layout, x(0.5e-3), above)).toMatchObject({ target: { kind: 'block' } });
  });

  it('have room in each row that is high enough, and overlap nothing', () => {
    for (const legs of [1, 2])
      for (let height = 4; height <= 240; height += 0.5) {
        const shape = rowShape(height, false, legs);
        expect(shape.legs).toBe(height >= 24 ? legs : 0);
        if (shape.legs === 0) continue;
        expect(shape.legHeight).toBeGreaterThanOrEqual(2);
        expect(shape.exchangeTop).toBeGreaterThanOrEqual(shape.bandTop + shape.bandHeight);
        expect(shape.exchangeTop).toBeGreaterThanOrEqual(shape.laneTop + shape.laneHeight);
        const foot = shape.exchangeTop + legs * shape.legHeight;
        expect(foot).toBeLessThanOrEqual(height);
      }
    expect(rowShape(100, true, 1).legs).toBe(0);
  });

  it('are drawn over paler blocks of the next iteration', () => {
    const { columns } = shown(toy(frontFirst)).picture;
    const palette = paletteFrom(
      themeFrom('dark', () => ''),
      'operation',
      new Uint8Array(1),
    );
    const width = 1520;
    const view = { t0: 0, t1: 15.2e-3, top: 0, rowHeight: 20, bandTop: 0, bandHeight: 20, radius: 0, notch: 0 };
    const pixels = draw(view, width, 20, columns, undefined, palette);
    const at = (milliseconds: number) => pixels[10 * width + milliseconds * 100];
    expect(at(8)).toBe(palette.background);
    for (const moment of [1.5, 3.5, 5.5]) {
      const [first, next] = [at(moment), at(moment + 9.2)];
      for (const byte of [0, 8, 16]) {
        const part = (colour: number) => (colour >>> byte) & 255;
        expect(Math.abs(part(next) - (part(first) + part(palette.background)) / 2)).toBeLessThanOrEqual(1);
      }
      expect(next >>> 24).toBe(255);
    }
  });

  it('are in the strips of a comparison, whose length is the period', () => {
    const { plan, picture } = shown(toy(frontFirst));
    const theme = themeFrom('dark', () => '');
    const palette = paletteFrom(theme, 'operation', new Uint8Array(1));
    const compared = comparison();
    const figures = compared.enter({ type: 'enter', id: 1, plan, kept: true });
    expect(figures).toMatchObject({ iteration: expect.closeTo(9.2e-3, 12), makespan: expect.closeTo(9.2e-3, 12) });
    const strip = compared.draw({ id: 1, width: 1000, height: 40, t0: 0, t1: 10e-3 }, palette);
    const pixels = new Uint32Array(strip?.buffer ?? new ArrayBuffer(0));
    const at = (milliseconds: number, y: number) => pixels[y * 1000 + Math.round(milliseconds * 100)];
    const hue = (layer: number) => palette.colours[hueColours + layer];
    const lanes = lanesIn(picture);
    for (let time = 0.05; time < 10; time += 0.1) {
      const piece = time < 9.2 ? pieceAt(lanes, 0, 0, time * 1e-3) : undefined;
      const bucket = piece === undefined ? -1 : lanes.all[0].legs[0].bucket[piece.row];
      expect(at(time, 30)).toBe(bucket < 0 ? palette.background : hue(lanes.all[0].buckets.front[bucket]));
    }
    expect(at(1, 10)).not.toBe(palette.background);
    expect(at(8, 10)).toBe(palette.background);
  });

  it('have the words of data parallelism, which knows no bubble of a pipeline', () => {
    const alone = shown(toy(frontFirst));
    const keys = (of: typeof alone) => figuresOf(of.plan, of.picture).map(({ key }) => key);
    expect(keys(alone)).toEqual(['iteration', 'gradients', 'peak', 'critical']);
    expect(figuresOf(alone.plan, alone.picture)[0]).toMatchObject({
      name: 'Period',
      value: '9.2 ms',
      note: 'bound 8.6 ms',
    });
    expect(figuresOf(alone.plan, alone.picture)[1]).toMatchObject({
      value: '34.8 %',
      unit: 'mostly for bytes of the layer itself',
      note: '3.2 ms on gpu[0]',
    });
    expect(shapeText(alone.plan)).toBe('2 ranks · 1 microbatch · sync = bytescheduler');
    const two = shown(stages);
    expect(keys(two)).toEqual(['iteration', 'bubble', 'peak', 'exposed', 'gradients', 'critical']);
    expect(shapeText(two.plan)).toBe('2 devices for 4 GPUs · 4 microbatches · sync = overlap');
    expect(gapLines(two.plan, two.picture, { device: 0, from: 30e-3, to: 39e-3, before: -1 })).toContainEqual([
      'Phase',
      'cool-down',
    ]);
  });
});

describe('the critical path', () => {
  const wordsOf = (rule: string): string => {
    const plan = planOf(toy(rule));
    const evaluation = evaluate(plan, defaultOptions);
    if (evaluation.run === undefined) throw new Error('no run');
    return criticalPathWords(pictureOf(evaluation, evaluation.run, 1));
  };

  it('says which gradients of the iteration before it comes from', () => {
    // Front first: the forward of the next iteration waits for the front layer, whose bytes are sent last.
    expect(wordsOf('sync = overlap(barrier = false)')).toBe(
      'Critical path, from the gradients of front in the iteration before',
    );
    expect(wordsOf(frontFirst)).toMatch(/^Critical path, from the gradients of \w+ in the iteration before$/);
  });

  it('begins with its first operation behind a barrier, and without an exchange', () => {
    for (const rule of ['sync = overlap', 'sync = ddp', '']) expect(wordsOf(rule)).not.toContain('before');
  });
});
