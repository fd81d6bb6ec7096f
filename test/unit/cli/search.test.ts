import { describe, expect, it, test } from 'vitest';
import { call } from './harness.ts';

const file = (schedule: string, more = '') => `device gpu { memory = 16GiB }
cluster box { gpu[3] = gpu  link = 25GB/s + 50us }
model net {
  layer block[2] { forward = 2ms  backward_input = 3ms  backward_weight = 1ms  activation = 1GiB  weights = 1MiB }
  layer head { forward = 4ms  backward_input = 4ms  backward_weight = 4ms  activation = 2GiB  weights = 1MiB }
}
pipeline train { model = net  devices = box  microbatches = 6  stages = split(1, 1, 1)  schedule = ${schedule}  ${more} }
`;

const searching = (text: string, args: readonly string[] = [], world: Parameters<typeof call>[1] = {}) =>
  call(['search', 'a.pipe', ...args], { files: { 'a.pipe': text }, ...world });

// The last device starts after two forwards and two transfers of 50 µs, and has 72 ms of work: no order is under 76.1 ms.
describe('pipewright search', () => {
  it('says how long the order takes, how long it took before, and what is proven', async () => {
    const { status, out, err } = await searching(file('gpipe'));
    expect(err).toBe('');
    expect(status).toBe(0);
    expect(out).toMatch(
      /^train: The order takes 76.1 ms, [\d.]+ % shorter than gpipe \([\d.]+ ms\)\. It is proven that no order within the memory of the devices is shorter\. Effort [\d.e-]+, seed \d+\.\n$/,
    );
    expect((await searching(file('gpipe'))).out).toBe(out);
  });

  it('has the certificate of a schedule that is searched in simulate and compare', async () => {
    const simulated = async (schedule: string) =>
      (await call(['simulate', 'a.pipe'], { files: { 'a.pipe': file(schedule) } })).out;
    expect(await simulated('search')).toMatch(/^ {2}Order +optimal +no order is shorter$/m);
    expect(await simulated('search(limit = 1, effort = 0)')).toMatch(
      /^ {2}Order +(optimal +no order within the limit of 1 microbatch on each device is shorter|gap [\d.]+ % +no order within the limit of 1 microbatch on each device takes less than [\d.]+ ms)$/m,
    );
    expect(await simulated('gpipe')).not.toMatch(/^ {2}Order /m);
    const compared = await call(['compare', 'a.pipe', '--schedules', 'search, gpipe'], {
      files: { 'a.pipe': file('gpipe') },
    });
    expect(compared.out).toContain('search: proven the shortest order\n');
  });

  it('writes rows that run the order again, and that --verify proves', async () => {
    const { out, err } = await searching(file('gpipe'), ['--write', 'rows']);
    expect(err).toContain('train: The order takes');
    expect(out).toContain('/// It is proven that no order within the memory of the devices is shorter.\n');
    const kept = `${out}${file('train_order')}`;
    const verified = await searching(kept, ['--verify']);
    expect(verified).toMatchObject({ status: 0, err: '' });
    expect(verified.out).toMatch(
      /^train: The order of train_order runs: 54 operations, 76.1 ms\. It fits the memory of each device\. It is proven that no order of these operations within the memory of the devices is shorter\.\n$/,
    );
    const same = await searching(kept);
    expect(same.out).toContain('no shorter than train_order');
  });

  it('takes a limit, names it above the rows, and proves them again under it', async () => {
    const { out, err } = await searching(file('gpipe'), ['--limit', '1', '--write', 'rows']);
    const asked = 'limit of 1 microbatch on each device';
    expect(err).toContain(`no order within the ${asked} is shorter.`);
    expect(out).toContain(`/// It is proven that no order within the ${asked} is shorter.\n`);
    expect(out).toMatch(/^\/\/\/ Search: effort 1, seed \d+, limit 1\.$/m);
    const written = (await searching(file('search(limit = 1)'), ['--write', 'rows'])).out;
    expect(written).toBe(out);
    const kept = `${out}${file('train_order')}`;
    const under = await searching(kept, ['--verify', '--limit', '1']);
    expect(under.status).toBe(0);
    expect(under.out).toContain(`It is proven that no order of these operations within the ${asked} is shorter.`);
    // With all the memory, an order of 76.1 ms fits.
    const free = await searching(kept, ['--verify']);
    expect(free.out).toContain('No order of these operations within the memory of the devices is under 76.1 ms');
    const tight = await searching(file('gpipe'), ['--verify', '--limit', '2']);
    expect(tight.status).toBe(1);
    expect(tight.out).toContain(
      'It does not keep the limit of 2 microbatches on each device, so the bound leaves this',
    );
    // A schedule that is searched for has a limit.
    for (const schedule of ['search(limit = 1)', 'zb_auto(limit = 1)'])
      expect((await searching(file(schedule), ['--verify'])).out).toContain(`within the ${asked}`);
  });

  it('names a limit in bytes as it must be written', async () => {
    const { out, err } = await searching(file('gpipe'), ['--limit', '4.5GiB', '--write', 'rows']);
    expect(err).toContain('within the limit of 4.5 GiB on each device');
    expect(out).toMatch(/seed \d+, limit 4608MiB\.$/m);
    const none = await searching(file('gpipe'), ['--limit', '1GiB']);
    expect(none.status).toBe(1);
    expect(none.err).toContain('a limit of 1 GiB is less than the 2 GiB that one microbatch keeps on device 2');
  });

  it('says what the schedule asks for: the longest span, or the p95', async () => {
    const span = await searching(file('search(objective = span, limit = 2)'), ['--write', 'rows']);
    expect(span.err).toMatch(
      /The longest span of a device is [\d.]+ ms, no shorter than search \([\d.]+ ms\)\. The order ends after [\d.]+ ms\. (It is proven that no|No) order within the limit of 2 microbatches on each device (has a shorter one|is under)/,
    );
    expect(span.out).toMatch(
      /^\/\/\/ The order with the shortest span found for train with 6 microbatches: [\d.]+ ms\. It ends after [\d.]+ ms\.\n\/\/\/ (It is proven that no order within the limit of 2 microbatches on each device has a shorter one\.|No order)/,
    );
  });

  it('writes the order that random times delay least if the schedule asks for it', async () => {
    // The shortest order has a higher p95 here.
    const noisy = (schedule: string) => `device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 25GB/s + 300us }
model net {
  layer block[3] { forward = 5ms  backward_input = 9ms  backward_weight = 4ms  activation = 8MiB  output = 1MiB }
  layer head { forward = 7ms  backward_input = 7ms  backward_weight = 5ms  activation = 8MiB  output = 1MiB }
}
pipeline train { model = net  devices = box  microbatches = 10  stages = balance(4)  jitter = 30%  jitter(stage = 1) = 25%  schedule = ${schedule} }
`;
    const asked = noisy('search(prefer = p95, limit = 4)');
    const { out, err } = await searching(asked, ['--write', 'rows']);
    expect(err).toMatch(/It has the least p95, [\d.]+ ms; the shortest order takes [\d.]+ ms\./);
    expect(out).toContain('/// The order with the least p95 found for train with 10 microbatches. It takes');
    const iteration = async (text: string) => {
      const { out: json } = await call(['simulate', 'a.pipe', '--format', 'json'], { files: { 'a.pipe': text } });
      return Number(/"iteration": ([\d.]+)/.exec(json)?.[1]);
    };
    const kept = await iteration(`${out}${noisy('train_order')}`);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeCloseTo(await iteration(asked), 12);
  });

  it('writes the table of PyTorch to a file', async () => {
    const { status, files, out } = await searching(file('gpipe'), ['--write', 'csv', '--output', 'b.csv']);
    expect(status).toBe(0);
    expect(files['b.csv']?.split('\n')[0]).toMatch(/^0F0,0F1/);
    expect(out).toContain('train: The order takes');
  });

  it('proves what it can of an order that is not the shortest', async () => {
    const { out, status } = await searching(file('gpipe'), ['--verify']);
    expect(status).toBe(0);
    expect(out).toMatch(
      /No order of these operations within the memory of the devices, split backwards included, is under 76.1 ms, so any other is at most [\d.]+ % shorter\./,
    );
  });

  it('says that an order does not fit, and what has no proof', async () => {
    const tight = file('gpipe').replace('16GiB', '8GiB');
    const over = await searching(tight, ['--verify']);
    expect(over.status).toBe(1);
    expect(over.out).toContain('It does not fit the memory of its devices, so the bound leaves memory out.');
    const segments = await searching(file('1f1b', 'recompute = ahead').replace('head {', 'head {'), ['--verify']);
    expect(segments.status).not.toBe(2);
    const flushless = await searching(file('pipedream', 'iterations = 4'), ['--verify']);
    expect(flushless.out).toContain('There is no proof of how short an order could be: the schedule has no flush.');
  });

  it('refuses what it cannot search, with the reason', async () => {
    const { status, err } = await searching(file('pipedream', 'iterations = 4'));
    expect(status).toBe(1);
    expect(err).toBe('Pipeline "train" cannot be searched: its iterations follow each other without a flush.\n');
    const three = file('interleaved_1f1b(chunks = 3)')
      .replace(/block\[2\]/, 'block[8]')
      .replace('split(1, 1, 1)', 'balance(9)');
    expect((await searching(three)).err).toContain('the search needs one or two stages on each device');
    const limited = await searching(three, ['--verify', '--limit', '4']);
    expect(limited.out).toContain('There is no proof of how short an order could be: the search needs one or two');
  });

  it('stops at the time, and when the user interrupts, with what was found', async () => {
    const late = await searching(file('gpipe'), ['--time', '1s', '--write', 'rows'], { slow: 400 });
    expect(late.status).toBe(0);
    expect(late.out).toContain('schedule train_order {');
    const stopped = await searching(file('gpipe'), [], { interrupted: true });
    expect([0, 1]).toContain(stopped.status);
    expect(stopped.out + stopped.err).toMatch(/The order takes|stopped before it had an order/);
  });

  it('hears an interrupt while it searches, and says what it has found', async () => {
    const layers = [
      [150, 72, 68],
      [136, 59, 72],
      [146, 61, 54],
      [120, 113, 33],
    ].map(
      ([f, i, w], at) =>
        `layer l${at} { forward = ${f}ms  backward_input = ${i}ms  backward_weight = ${w}ms  activation = 1GiB }`,
    );
    // No proof closes the gap of this one: the whole effort takes many minutes.
    const open = `device gpu { memory = 16GiB }
cluster box { gpu[2] = gpu  link = 25GB/s + 10ms }
model net { ${layers.join(' ')} }
pipeline train { model = net  devices = box  microbatches = 6  stages = balance(4)  schedule = search(chunks = 2, placement = loop, limit = 2, effort = 0) }
`;
    const { status, out } = await searching(open, ['--effort', '1000'], { interrupted: 'later' });
    expect(status).toBe(0);
    expect(out).toMatch(/The order takes .* No order .* is under/);
  });

  test.each([
    [['--time', '5s'], '--time needs --write'],
    [['--time', 'soon', '--write', 'rows'], '--time takes a time such as 30s'],
    [['--time', '5s', '--effort', '2', '--write', 'rows'], 'Choose --time or --effort, not both.'],
    [['--limit', '0'], '--limit takes a number of microbatches or of bytes, such as 4 or 20GiB, not "0".'],
    [['--limit', '1.5'], '--limit takes'],
    [['--limit', '4ms'], '--limit takes'],
    [['--effort', '-1'], 'effort'],
    [['--effort', '1.5'], '--effort takes a whole number from 0 to 1000, not "1.5".'],
    [['--seed', '99999999999'], '--seed takes a whole number from 0 to 4294967295'],
    [['--verify', '--write', 'rows'], '--verify searches nothing'],
    [['--output', 'x'], '--output is for the order'],
    [['--pipeline', 'nobody'], 'a.pipe has no pipeline "nobody"'],
  ])('refuses %j', async (args, reason) => {
    const { status, err } = await searching(file('gpipe'), args);
    expect(status).toBe(2);
    expect(err).toContain(reason);
  });
});
