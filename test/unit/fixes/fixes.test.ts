import { describe, expect, it } from 'vitest';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { bytes, share, time } from '../../../engine/basics/quantities.ts';
import { after, analyse, codesOf, fixesOf, checkedAfter } from '../../support/analyse.ts';
import { pipe } from './file.ts';
import { checkPromise } from './promise.ts';
import { checkFix } from '../../support/expected.ts';

const four = ['block[0..1]', 'block[2..3]', 'block[4..5]', 'block[6..7]'];
const blocks = (layers: readonly string[], first = '') =>
  layers
    .map((each, index) => `  stage s${index} { layers = ${each}${index === 0 ? first : ''} } // part ${index}`)
    .join('\n');
const run = (stages: string, microbatches = 8, schedule = '1f1b') =>
  `  microbatches = ${microbatches}\n${stages}\n  schedule = ${schedule}`;

const iteration = (analysis: ReturnType<typeof analyse>) => analysis.pipelines[0]?.run?.report.iteration ?? Number.NaN;
const peak = (analysis: ReturnType<typeof analyse>, device: number) =>
  analysis.pipelines[0]?.run?.report.devices[device].peak ?? Number.NaN;

describe('spelling', () => {
  it('replaces a name by the nearest one', () => {
    const marked = run('  stages = balance(4)').replace('1f1b', '⟦error name/unknown:1f1bb→1f1b⟧');
    const fix = checkFix(pipe({ pipeline: marked }));
    expect(fix.title).toMatch(/^Change to "1f1b": runs, iteration .* ms, bubble .* %, peak .* GiB$/);
    expect(fix.preferred).toBe(true);
  });

  it('replaces a key', () => {
    const marked = run('  stages = balance(4)').replace('microbatches', '⟦key/unknown:microbatchs→microbatches⟧');
    checkFix(pipe({ pipeline: marked }));
  });
});

describe('remove', () => {
  it('takes an unused declaration with its documentation and lines', () => {
    const good = pipe({ pipeline: run('  stages = balance(4)') });
    const fix = checkFix(`${good}⟦/// Never used.\n/// At all.\nlet →⟧⟦hint name/unused:spare→⟧⟦ = 3 // spare\n→⟧`);
    expect(fix.title).toBe('Remove let "spare"');
  });

  it('takes the second of two equal keys', () => {
    checkFix(pipe({ pipeline: run('  stages = balance(4)⟦  →⟧⟦key/duplicate:stages→⟧⟦ = balance(2)→⟧') }));
    const file = analyse(pipe({ pipeline: run('  stages = balance(4)  stages = balance(2)') }));
    const titles = fixesOf(file, 'key/duplicate').map(({ title }) => title);
    expect(titles[0]).toMatch(/^Remove the second "stages": runs, iteration /);
    expect(titles[1]).toMatch(/^Remove the first "stages": runs, iteration /);
  });
});

describe('value', () => {
  it('sets microbatches to a number that the policy takes, in the param where they come from one', () => {
    const pipeline = run('  stages = balance(8)', 8, 'interleaved_1f1b(chunks = 2)').replace('= 8', '= m');
    const file = analyse(pipe({ pipeline, more: 'param m = 9 in 1..64\n' }));
    expect(codesOf(file)).toContain('schedule/shape');
    const fixes = fixesOf(file, 'schedule/shape');
    expect(fixes.length).toBeGreaterThan(0);
    for (const fix of fixes) {
      expect(fix.title).toMatch(/^(?:Set microbatches to \d+|Use .*): runs, iteration .* ms, bubble .* %, peak .*$/);
      const changed = after(file, fix);
      expect(codesOf(changed)).not.toContain('schedule/shape');
      expect(changed.syntax.text).toContain('microbatches = m');
      expect(changed.pipelines[0]?.run).toBeDefined();
    }
  });
});

describe('balance', () => {
  const uneven = ['block[0..4]', 'block[5]', 'block[6]', 'block[7]'];

  it('rewrites stage blocks in place and says what the iteration gains', () => {
    const file = analyse(pipe({ pipeline: run(blocks(uneven)) }));
    const [fix] = fixesOf(file, 'stage/imbalance');
    const changed = after(file, fix);
    expect(changed.syntax.text).toBe(pipe({ pipeline: run(blocks(four)) }));
    expect(codesOf(changed)).not.toContain('stage/imbalance');
    const gain = iteration(changed) / iteration(file) - 1;
    expect(fix.title).toContain(`: iteration −${(-gain * 100).toFixed(1).replace(/\.0$/, '')} %, peak −`);
  });

  it('writes split() out as blocks', () => {
    const file = analyse(pipe({ pipeline: run('  stages = split(5, 1, 1, 1)') }));
    const [fix] = fixesOf(file, 'stage/imbalance');
    const changed = after(file, fix);
    for (const layers of four) expect(changed.syntax.text).toContain(`{ layers = ${layers} }`);
    expect(codesOf(changed)).not.toContain('stage/imbalance');
    expect(iteration(changed)).toBeLessThan(iteration(file));
  });

  it('as a refactoring leaves the plan as it is', () => {
    const file = analyse(pipe({ pipeline: run('  stages = balance(4)') }));
    const at = file.syntax.text.indexOf('balance(4)') + 3;
    const [one] = refactorings(file, at, checkedAfter(file));
    const changed = after(file, one);
    expect(changed.syntax.text).not.toContain('balance(4)');
    expect(changed.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(iteration(changed)).toBe(iteration(file));
    expect(refactorings(file, file.syntax.text.indexOf('devices ='), checkedAfter(file))).toEqual([]);
    expect(refactorings(analyse(''), 0, analyse)).toEqual([]);
    // Also where devices are over their memory, which is then said of each stage.
    const tight = analyse(pipe({ memory: '2GiB', pipeline: run('  stages = balance(4)') }));
    expect(codesOf(tight)).toContain('memory/out-of-memory');
    expect(refactorings(tight, tight.syntax.text.indexOf('balance(4)'), analyse)).toHaveLength(1);
  });
});

describe('out of memory', () => {
  const layers =
    'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }';

  it('recomputes the stage: it fits, and the title says the peak and the cost', () => {
    // Stage 0: 4 microbatches of 2 × 512 MiB, 512 MiB of weights and as much of gradients: 5 GiB.
    const file = analyse(pipe({ layers, memory: '4.5GiB', pipeline: run(blocks(four)) }));
    expect(codesOf(file)).toContain('memory/out-of-memory');
    const fixes = fixesOf(file, 'memory/out-of-memory');
    const [recompute] = fixes.filter(({ title }) => title.startsWith('Recompute'));
    expect(recompute.title).toMatch(/^Recompute "s0": peak .* [GM]iB, iteration \+.* %$/);
    expect(after(file, recompute).syntax.text).toContain(
      'stage s0 { layers = block[0..1]  recompute = full } // part 0',
    );
    const capacity = 4.5 * 2 ** 30;
    for (const fix of fixes) {
      const changed = after(file, fix);
      expect(peak(changed, 0)).toBeLessThanOrEqual(capacity);
      expect(codesOf(changed)).not.toContain('memory/out-of-memory');
    }
  });

  it('moves as few layers as are enough to a neighbour that has room', () => {
    // Stage 0: 4 microbatches of 3 × 512 MiB and 3 × 512 MiB of weights and gradients, 7.5 GiB; without a layer 5, and stage 1 then 4.
    const text = (capacity: string) =>
      pipe({
        layers,
        memory: capacity,
        pipeline: run(blocks(['block[0..2]', 'block[3]', 'block[4..5]', 'block[6..7]'])),
      });
    const file = analyse(text('5.2GiB'));
    const moves = fixesOf(file, 'memory/out-of-memory').filter(({ title }) => title.startsWith('Move'));
    expect(moves).toHaveLength(1);
    expect(moves[0].title).toMatch(/^Move block\[2\] to "s1": peak 5.* GiB, iteration −.* %, only .* MiB left$/);
    const changed = after(file, moves[0]);
    expect(changed.syntax.text).toBe(
      pipe({
        layers,
        memory: '5.2GiB',
        pipeline: run(blocks(['block[0..1]', 'block[2..3]', 'block[4..5]', 'block[6..7]'])),
      }),
    );
    expect(codesOf(changed)).not.toContain('memory/out-of-memory');
  });

  it('recomputes the pipeline where stages come from balance()', () => {
    const file = analyse(pipe({ layers, memory: '4.5GiB', pipeline: run('  stages = balance(4)') }));
    const [fix] = fixesOf(file, 'memory/out-of-memory').filter(({ title }) =>
      title.startsWith('Recompute every stage: '),
    );
    expect(after(file, fix).syntax.text).toContain('\n  recompute = full\n');
    expect(codesOf(after(file, fix))).not.toContain('memory/out-of-memory');
  });

  it('offers to recompute attention alone where that is enough', () => {
    const shaped = 'sequence = 2048  micro_batch = 1\n  layer block[8] = transformer(hidden = 1024, heads = 16)';
    const text = (memory: string) =>
      pipe({ layers: shaped, memory, pipeline: run(blocks(four)) }).replace(
        'device gpu {',
        'device gpu { compute = 100TFLOPS  bandwidth = 900GB/s ',
      );
    const free = peak(analyse(text('1000GiB')), 0);
    const file = analyse(text(`${Math.floor(free / 2 ** 20) - 10}MiB`));
    const titles = fixesOf(file, 'memory/out-of-memory').map(({ title }) => title);
    expect(titles.some((title) => title.startsWith('Recompute the attention of "s0": '))).toBe(true);
  });

  it('says what another device still lacks where no change makes all devices fit', () => {
    // Stage 3 keeps two layers of 3 GiB of weights, and as much of gradients: 12 GiB and buffers of 16 MiB.
    const heavy = layers
      .replace('block[8]', 'block[6]')
      .concat('\n  layer big[2] { forward = 4ms  backward = 8ms  weights = 3GiB }');
    const stages = blocks(['block[0..1]', 'block[2..3]', 'block[4..5]', 'big[0..1]']);
    const file = analyse(pipe({ layers: heavy, memory: '4.5GiB', pipeline: run(stages) }));
    const fixes = fixesOf(file, 'memory/out-of-memory').filter(({ finding }) => finding.about?.name === 'gpu[0]');
    expect(fixes.length).toBeGreaterThan(0);
    const lacks = bytes(12 * 2 ** 30 + 16 * 2 ** 20 - 4.5 * 2 ** 30);
    const recompute = fixes.find(({ title }) => title.startsWith('Recompute "s0": '));
    expect(recompute?.title).toSatisfy((title) => String(title).endsWith(`, gpu[3] still ${lacks} over`));
    for (const fix of fixes) checkPromise(file, fix);
  });

  it('offers nothing that does not fit', () => {
    const file = analyse(pipe({ layers, memory: '600MiB', pipeline: run(blocks(four)) }));
    expect(codesOf(file)).toContain('memory/out-of-memory');
    expect(fixesOf(file, 'memory/out-of-memory')).toEqual([]);
  });

  it('shards the optimizer over data ranks', () => {
    const text = (memory: string) =>
      pipe({
        layers,
        memory,
        pipeline: `${run(blocks(four, '  recompute = none'))}\n  data = 2\n  optimizer = adam_mixed`,
      }).replace('gpu[4]', 'gpu[8]');
    const free = peak(analyse(text('1000GiB')), 0);
    const file = analyse(text(`${Math.floor(free / 2 ** 20) - 10}MiB`));
    const fix = fixesOf(file, 'memory/out-of-memory').find(({ title }) =>
      title.startsWith('Shard the optimizer over 2 data ranks: '),
    );
    expect(fix).toBeDefined();
    const changed = fix === undefined ? file : after(file, fix);
    // 12 bytes a parameter of 2 × 128 Mi parameters, halved.
    expect(free - peak(changed, 0)).toBe(6 * 2 * 128 * 2 ** 20);
  });
});

describe('policies for other stages', () => {
  const cuts = {
    'split(2, 2, 2, 2)': run('  stages = split(2, 2, 2, 2)', 4),
    'stage blocks': run(four.map((layers, at) => `  stage s${at} { layers = ${layers} }`).join('\n'), 4),
  };
  it.each(Object.entries(cuts))('write the schedule and a balanced cut in place of %s', (_, pipeline) => {
    const file = analyse(pipe({ pipeline }));
    const fix = fixesOf(file, 'schedule/bubble').find(({ title }) => title.includes(' again into 8 stages'));
    expect(fix?.title).toMatch(/^Use \S.*, 8 layers cut again into 8 stages: iteration −/);
    if (fix === undefined) return;
    const changed = after(file, fix);
    const written = /^Use (.*), 8 layers cut again into 8 stages/.exec(fix.title)?.[1] ?? '';
    expect(changed.syntax.text).toBe(pipe({ pipeline: run('  stages = balance(8)', 4, written) }));
    expect(changed.pipelines[0]?.run?.report.devices).toHaveLength(4);
    expect(iteration(changed)).toBeLessThan(iteration(file));
  });

  it('leave a key of a block as it is', () => {
    const pipeline = run(blocks(four, '  recompute = full').replaceAll(/ \/\/.*/g, ''), 4);
    const titles = fixesOf(analyse(pipe({ pipeline })), 'schedule/bubble').map(({ title }) => title);
    expect(titles.length).toBeGreaterThan(0);
    for (const title of titles) expect(title).not.toContain('8 stages');
  });
});

describe('warm-up', () => {
  it('is raised where that hides transfers, with the simulated gain', () => {
    const file = analyse(pipe({ link: '2.2GB/s + 1us', memory: '64GiB', pipeline: run(blocks(four), 32) }));
    expect(codesOf(file)).toContain('comm/exposed');
    const [fix] = fixesOf(file, 'comm/exposed').filter(({ title }) => title.startsWith('Raise'));
    expect(fix.title).toMatch(/^Raise warm-up to [\d, ]+: iteration −.* %, peak \+.* %$/);
    const changed = after(file, fix);
    expect(changed.syntax.text).toContain('1f1b(warmup = [');
    expect(iteration(changed)).toBeLessThan(iteration(file));
  });

  it.each([
    ['1f1b(recompute = ahead)', /1f1b\(recompute = ahead, warmup = \[[\d, ]+\]\)/],
    ['1f1b(warmup = [4, 3, 2, 1])', /1f1b\(warmup = \[[\d, ]+\]\)/],
    ['1f1b()', /1f1b\(warmup = \[[\d, ]+\]\)/],
  ])('is raised in %s, which keeps its other arguments', (schedule, wanted) => {
    const pipeline = run(blocks(four), 32).replace('schedule = 1f1b', `schedule = ${schedule}`);
    const file = analyse(pipe({ link: '2.2GB/s + 1us', memory: '64GiB', pipeline }));
    const [fix] = fixesOf(file, 'comm/exposed').filter(({ title }) => title.startsWith('Raise'));
    expect(after(file, fix).syntax.text).toMatch(wanted);
  });
});

it('answers findings of other files with nothing', () => {
  const file = analyse(pipe({ pipeline: run('  stages = balance(4)').replace('1f1b', '1f1bb') }));
  const moved = { ...file, uri: 'file:///other.pipe' };
  expect(fixesOf(moved, 'name/unknown')).toEqual([]);
});

describe('transfer', () => {
  const blocking = (transfer: string, schedule = '1f1b') =>
    analyse(pipe({ pipeline: `${run('  stages = balance(4)', 8, schedule)}\n  transfer = ${transfer}` }));

  it('issues sends and receives of 1F1B together, which otherwise hangs', () => {
    const file = blocking('rendezvous // as on one stream');
    expect(codesOf(file)).toContain('schedule/deadlock');
    const [fix, ...more] = fixesOf(file, 'schedule/deadlock');
    expect(more).toEqual([]);
    const changed = after(file, fix);
    expect(changed.syntax.text).toContain('transfer = rendezvous(batched = true) // as on one stream');
    expect(codesOf(changed)).not.toContain('schedule/deadlock');
    expect(fix.title).toBe(
      `Set transfer to rendezvous(batched = true) (iteration ${time(iteration(changed), 4)}, bubble ${share(changed.pipelines[0]?.run?.report.bubble.makespan ?? Number.NaN)})`,
    );
  });

  it('keeps how unlike meshes exchange data', () => {
    const file = blocking('rendezvous(reshard = send_recv)');
    const [fix] = fixesOf(file, 'schedule/deadlock');
    expect(after(file, fix).syntax.text).toContain('transfer = rendezvous(batched = true, reshard = send_recv)');
  });

  it('is left as it is where batches would not help', () => {
    const rows = (order: string) => `schedule by_hand {\n  row(d) = ${order}\n}\n`;
    const file = analyse(
      pipe({
        pipeline: `${run('  stages = balance(4)', 2, 'by_hand')}\n  transfer = rendezvous`,
        more: rows('F[1], B[1], F[0], B[0]').replace('}\n', '  row(1) = F[0], B[0], F[1], B[1]\n}\n'),
      }),
    );
    expect(codesOf(file)).toContain('schedule/deadlock');
    const fixes = fixesOf(file, 'schedule/deadlock');
    // Batches would not help: only moves of a microbatch do.
    expect(fixes[0].title).toMatch(/^Move F\[\d\], B\[\d\] .*: runs, /);
    for (const { title } of fixes) expect(title).not.toContain('transfer');
    for (const fix of fixes) expect(codesOf(after(file, fix))).not.toContain('schedule/deadlock');
    expect(codesOf(blocking('rendezvous', 'gpipe'))).not.toContain('schedule/deadlock');
  });
});
