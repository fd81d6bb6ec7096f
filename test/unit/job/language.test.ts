import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { analyse } from '../../support/analyse.ts';

const file = (job: string, more = '') => `model toy {
  layer block[4] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }
}
device v100 { memory = 16GiB }
cluster box { gpu[2] = v100  link = 25GB/s + 5us }
cluster crate { gpu[2] = v100  link = 25GB/s + 5us }
pipeline a { model = toy  devices = box  microbatches = 1  stages = balance(2)  schedule = pipedream(in_flight = 3) }
pipeline b { model = toy  devices = crate  microbatches = 1  stages = balance(2)  schedule = pipedream(in_flight = 3) }
${more}job all { ${job} }
`;
const stale = 'schedule/stale-weights';
const evaluated = (text: string) => analyse(text).findings.filter(({ code }) => code !== stale);

describe('what a job says', () => {
  test('goes into its plan, with the places of its parts', () => {
    const text = file('workers = [a, b]  sync = wsp(distance = 2)  servers = 3  link = half(7GB/s + 2us)  waves = 8');
    const { plan, origins } = checkFindings(text);
    expect(plan.jobs).toEqual([
      {
        name: 'all',
        workers: ['a', 'b'],
        sync: { kind: 'wsp', distance: 2 },
        servers: 3,
        link: { bandwidth: 7e9, latency: 2e-6, duplex: 'half' },
        waves: 8,
      },
    ]);
    expect(JSON.parse(JSON.stringify(plan.jobs))).toEqual(JSON.parse(JSON.stringify(plan)).jobs);
    const at = (path: string) => text.slice(origins.get(path)?.start, origins.get(path)?.end);
    expect(at('job:all')).toBe('all');
    expect(at('job:all/worker:1')).toBe('b');
    expect(at('job:all/key:sync')).toBe('wsp(distance = 2)');
  });

  test('may leave out the distance, servers and link', () => {
    const { plan, derived } = checkFindings(file('workers = a, b  sync = wsp'));
    expect(plan.jobs[0]).toMatchObject({ sync: { distance: 0 }, servers: 1 });
    expect(plan.jobs[0].link).toBeUndefined();
    expect(derived.some(({ text }) => text.includes('take no time'))).toBe(true);
  });

  test.each(['free', 'free()', '(free)'])('may have servers without locks: %s', (sync) => {
    expect(checkFindings(file(`workers = [a, b]  sync = ${sync}`)).plan.jobs[0].sync).toEqual({ kind: 'free' });
  });

  test('has the slowest link between nodes where it says none', () => {
    const nodes = (name: string, link: string) => `cluster ${name} { node[2] { gpu[1] = v100 }  link = ${link} }\n`;
    const text = file('workers = [a, b]  sync = wsp')
      .replace(/cluster box .*\n/, nodes('box', '9GB/s + 1us'))
      .replace(/cluster crate .*\n/, nodes('crate', '7GB/s + 5us'));
    expect(checkFindings(text).plan.jobs[0].link).toEqual({ bandwidth: 7e9, latency: 5e-6, duplex: 'full' });
  });

  test('its workers are uses of the pipelines', () => {
    const text = file('workers = [a, b]  sync = wsp');
    const { symbols } = resolveText(text);
    const uses = symbols.references.filter(({ symbol }) => symbol === 'pipeline:a').map(({ place }) => place.start);
    expect(uses).toEqual([text.indexOf('a { model'), text.indexOf('a, b]')]);
  });
});

describe('mistakes', () => {
  test('keys', () => {
    checkFindings(
      file('workers = [a, b]  sync = wsp').replace('job all', 'job ⟦key/missing:all⟧').replace('  sync = wsp', ''),
    );
    checkFindings(file('sync = wsp').replace('job all', 'job ⟦key/missing:all⟧'));
    checkFindings(file('workers = [a, b]  sync = ⟦name/unknown:wps⟧'), ['Did you mean "wsp"?']);
    checkFindings(file('workers = [a, b]  sync = wsp(⟦key/unknown:distanz⟧ = 1)'));
    checkFindings(file('workers = [a, b]  sync = wsp(distance = ⟦value/range:-1⟧)'), ['at least 0']);
    checkFindings(file('workers = [a, b]  sync = wsp(distance = ⟦value/range:0.5⟧)'));
    checkFindings(file('workers = [a, b]  sync = ⟦type/mismatch:3⟧'));
    checkFindings(file('workers = [a, b]  sync = ⟦name/unknown:fre⟧'), ['Did you mean "free"?']);
    checkFindings(file('workers = [a, b]  sync = free(⟦key/unknown:distance⟧ = 1)'));
    checkFindings(file('workers = [a, b]  sync = free(⟦type/mismatch:1⟧)'), ['at most 0 arguments']);
    checkFindings(file('workers = [a, b]  sync = wsp  servers = ⟦value/range:0⟧'));
    checkFindings(file('workers = [a, b]  sync = wsp  link = ⟦type/dimension:5us⟧'));
    checkFindings(file('workers = [a, b]  sync = wsp  waves = ⟦value/range:1⟧'));
    checkFindings(file('⟦type/mismatch:workers⟧ = []  sync = wsp'));
  });

  test('workers that are none', () => {
    checkFindings(file('workers = [a, ⟦name/unknown:c⟧]  sync = wsp'), ['Unknown pipeline "c"']);
    checkFindings(file('workers = [a, ⟦type/mismatch:toy⟧]  sync = wsp'), ['Expected a pipeline']);
    checkFindings(file('workers = [a, ⟦type/mismatch:4⟧]  sync = wsp'), ['the name of a pipeline']);
    checkFindings(file('workers = [a, b, ⟦name/duplicate:a⟧]  sync = wsp'), ['worker "a"']);
  });

  test('workers that do not fit together', () => {
    const other = 'model other { layer x[2] { forward = 1ms  backward = 1ms } }\n';
    const third = (model: string, devices: string, schedule: string) =>
      `pipeline c { model = ${model}  devices = ${devices}  microbatches = 1  stages = balance(2)  schedule = ${schedule} }\n`;
    const free = 'cluster third { gpu[2] = v100  link = 25GB/s + 5us }\n';
    checkFindings(
      file('workers = [a, ⟦type/mismatch:c⟧]  sync = wsp', other + free + third('other', 'third', 'pipedream')),
      ['the model "toy"'],
    );
    checkFindings(
      file('workers = [a, ⟦stage/device-count:c⟧]  sync = wsp', third('toy', 'box', 'pipedream(in_flight = 3)')),
      ['both use gpu[0] of "box"'],
    );
    checkFindings(file('workers = [a, ⟦type/mismatch:c⟧]  sync = wsp', free + third('toy', 'third', '1f1b')), [
      '"c" under 1f1b',
    ]);
    const lengths = file(
      'workers = [a, ⟦type/mismatch:c⟧]  sync = wsp',
      free + third('toy', 'third', 'pipedream(in_flight = 3)  tokens = [64, 128]'),
    )
      .replace(/layer block.*/, 'sequence = 128  layer block[4] = transformer(hidden = 256, heads = 4)')
      .replace('v100 {', 'v100 { compute = 100TFLOPS ')
      .replaceAll('microbatches = 1 ', 'microbatches = 2  optimizer = none ');
    checkFindings(lengths, ['one length, found "c" with different lengths; leave out its "tokens" or "documents"']);
    const blocking = third('toy', 'third', 'pipedream(in_flight = 3)  transfer = rendezvous');
    checkFindings(file('workers = [a, ⟦type/mismatch:c⟧]  sync = wsp', free + blocking), [
      'computes while it sends, found "c" with blocking transfers; leave out its "transfer"',
    ]);
    const rule = 'schedule mine { order = greedy(prefer = [B, F])  weights = stash }\n';
    checkFindings(file('workers = [a, ⟦type/mismatch:c⟧]  sync = wsp', free + rule + third('toy', 'third', 'mine')), [
      'no limit "in_flight"',
    ]);
  });

  test('a second job of a name is not planned', () => {
    const twice = 'job ⟦name/duplicate:all⟧ { workers = [b]  sync = wsp }\n';
    const { plan } = checkFindings(`${file('workers = [a, b]  sync = wsp')}${twice}`);
    expect(plan.jobs.map(({ workers }) => workers)).toEqual([['a', 'b']]);
  });

  test.each([
    'workers = [[a], b]  sync = (wsp)',
    'workers = a..b  sync = wsp()',
    'workers = [a, ]  sync = wsp(1, 2)',
    'workers = [a]  sync = wsp(distance = 9007199254740991)  waves = 2',
    'workers = [a, b]  sync = wsp(distance = 1 / 0)',
    'workers = gpu[0]  sync = a',
    'workers = [a, b]  sync = free  waves = 2',
    'workers = [a, b]  sync = free(free)',
    'workers = [a, b]  sync = free  servers = 100000000  link = 0B/s',
    'workers = [a, b]  sync = free  link = 1B/s + 1h',
    'workers { a }  sync wsp',
    'workers = [a, b]  sync = wsp  servers = 100000000  link = 0B/s',
    'workers = [a, b]  sync = wsp  link = 1B/s + 1h',
    '',
  ])('%s does no harm', (job) => {
    const { jobs, resolution } = analyse(file(job));
    for (const { report } of jobs) {
      expect(report?.throughput).toBeGreaterThan(0);
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    }
    expect(jobs).toHaveLength(resolution.plan.jobs.length);
  });

  test('a pipeline with a mistake of its own is no second one of the job', () => {
    const text = file('workers = [a, b]  sync = wsp').replace(
      'devices = crate  microbatches = 1',
      'devices = crate  microbatches = ⟦value/range:0⟧',
    );
    expect(checkFindings(text).plan.jobs).toEqual([]);
  });

  test('waves of unlike sizes, and more than the limit, are found when the job runs', () => {
    const unlike = file('workers = [a, b]  sync = wsp').replace(/in_flight = 3(?![^]*in_flight)/, 'in_flight = 2');
    const [found] = evaluated(unlike).filter(({ severity }) => severity === 'error');
    expect(found.code).toBe('schedule/shape');
    expect(found.message).toContain('"b" has 2 minibatches in flight and "a" 3');
    expect(unlike.slice(found.place.start, found.place.end)).toBe('b');
    const large = evaluated(file('workers = [a, b]  sync = wsp  waves = 100000000'));
    expect(large.map(({ code }) => code)).toContain('limit/too-large');
  });
});

test('the report of a job, and that of an edit that changes nothing', () => {
  const text = file('workers = [a, b]  sync = wsp(distance = 1)');
  const first = analyse(text);
  const report = first.jobs[0].report;
  // Each stage has two layers of 12 ms: without a transfer one minibatch of one sample each 24 ms for each of two workers.
  expect(report?.wave).toBe(3);
  expect(report?.staleness).toMatchObject({ local: 2, bound: 7 });
  expect(report?.throughput).toBeCloseTo(2 / 0.024, 1);
  expect(report?.workers.map((worker) => [worker.pushed, worker.waiting])).toEqual([
    [2 ** 30, 0],
    [2 ** 30, 0],
  ]);
  // Two workers push and pull one GiB a wave.
  expect(report?.server_traffic).toBeCloseTo((4 * 2 ** 30) / 0.072, -7);
  const again = analyse(`// more\n${text}`, { earlier: first });
  expect(again.jobs[0]).toBe(first.jobs[0]);
});
