import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { analyse } from '../../support/analyse.ts';
import { resolveText } from '../../support/resolve.ts';
import { namesOf, programFor } from './bruteForce.ts';
import { tickedRule, type TickedState } from './ruleTicks.ts';

interface Numbers {
  readonly devices: number;
  readonly chunks: number;
  readonly microbatches: number;
  /** Milliseconds; a copy holds its line for `copy`. */
  readonly forward: number;
  readonly backward: number;
  readonly message: number;
  readonly copy: number;
  readonly latency: number;
  readonly half: boolean;
}

const usual: Numbers = {
  devices: 2,
  chunks: 1,
  microbatches: 4,
  forward: 4,
  backward: 8,
  message: 0,
  copy: 4,
  latency: 0,
  half: false,
};

/** Activations of 100 MB, so that 100 GB/s take 1 ms. */
function textOf(rule: string, given: Partial<Numbers> = {}): string {
  const { devices, chunks, microbatches, forward, backward, message, copy, latency, half } = { ...usual, ...given };
  const speed = `${100 / copy}GB/s`;
  const host = half ? `half(${speed} + ${latency}ms)` : `${speed} + ${latency}ms`;
  return `
device d { memory = 64GiB  host = ${host} }
cluster box { gpu[${devices}] = d  link = 100GB/s + ${message}ms }
model toy { layer block[${devices * chunks}] { forward = ${forward}ms  backward = ${backward}ms  activation = 100MB } }
schedule mine { ${chunks === 1 ? '' : `placement = loop(${chunks})`}  ${rule} }
pipeline train { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(${devices * chunks})  schedule = mine }
`;
}

function planOf(rule: string, given: Partial<Numbers> = {}): PipelinePlan {
  const { plan, findings } = resolveText(textOf(rule, given));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}
const rowsOf = (rule: string, given: Partial<Numbers> = {}): readonly string[] =>
  namesOf(programFor(planOf(rule, given))).map((row) => row.join(' '));
const messagesOf = (rule: string, given: Partial<Numbers> = {}): readonly string[] =>
  analyse(textOf(rule, given)).findings.flatMap(({ code, severity, message }) =>
    severity === 'error' ? [`${code}: ${message}`] : [],
  );
describe('E and L in a rule', () => {
  it('send each microbatch right after its forward, and bring it back as soon as it is away', () => {
    // F0 to 4 ms, out until 8 ms; E comes before F, so F1 begins at 4 ms.
    expect(rowsOf('order = greedy(prefer = [E, L, B, F])  offload = host  allow(E, s) = s == 0')).toEqual([
      '0F0 0E0 0F1 0E1 0L0 0F2 0E2 0L1 0F3 0E3 0L2 0B0 0L3 0B1 0B2 0B3',
      '1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3',
    ]);
  });
  it('bring each back just in time', () => {
    const rule = `order = greedy(prefer = [B, E, L, F])  offload = host
      allow(E, s) = s == 0
      allow(L, s) = next(B, s) <= time(L, s)`;
    // B0 of the last device ends at 16 ms: L0 begins at 12 ms, once its forward knows when that is.
    expect(rowsOf(rule)[0]).toBe('0F0 0E0 0F1 0E1 0F2 0E2 0L0 0F3 0B0 0E3 0L1 0B1 0L2 0B2 0L3 0B3');
    const { run } = evaluate(planOf(rule), defaultOptions);
    // As without copies: the last device is busy from 4 to 52 ms, and the last backward follows.
    expect(run?.report.iteration).toBeCloseTo(0.06, 12);
    expect(run?.report.devices[0].peak).toBe(300e6);
  });
  it('keep what a condition keeps: a microbatch that did not leave needs no L', () => {
    const rule = `order = greedy(prefer = [E, B, L, F])  offload = host
      allow(E, s) = s == 0, held(s) - away(s) > 2
      allow(L, s) = next(B, s) <= time(L, s)`;
    expect(rowsOf(rule, { backward: 40 })[0]).toBe('0F0 0F1 0F2 0E2 0F3 0E3 0B0 0B1 0L2 0B2 0L3 0B3');
  });
  it('count in next(L, s), done(E), pending(L) and time(E, s)', () => {
    const order = (condition: string): string =>
      rowsOf(`order = greedy(prefer = [E, B, L, F])  offload = host  ${condition}`, { devices: 1, microbatches: 3 })[0];
    // Without a condition, the only device sends each microbatch and waits for it.
    expect(order('allow(L, s) = done(F) == 3')).toBe('0F0 0E0 0F1 0E1 0F2 0E2 0L0 0L1 0B0 0B1 0L2 0B2');
    // The first is away at 8 ms. It is back at 12 ms, and the next forward begins in between.
    expect(order('allow(E, s) = done(E) < 1  allow(F, s) = next(L, s) > 1h or pending(L) > 0 or done(L) > 0')).toBe(
      '0F0 0E0 0L0 0F1 0B0 0B1 0F2 0B2',
    );
    expect(order('allow(E, s) = time(E, s) < 4ms')).toBe('0F0 0B0 0F1 0B1 0F2 0B2');
    expect(order('allow(E, s) = time(E, s) <= 4ms, done(E) < 1')).toContain('0E0');
  });
});

describe('a device that keeps activations for another one', () => {
  const rule = (limit: number) => `order = greedy(prefer = [E, L, F, B])  offload(d) = devices - 1 - d
    allow(E, s) = s == 0  allow(L, s) = next(B, s) <= time(L, s)  allow(F, s) = s == 0 or bytes(s) < ${limit}MB`;

  it('counts them in bytes(s)', () => {
    // At 8 ms gpu[1] holds its first microbatch, and at least the first one of gpu[0]. So its second forward comes after the backward.
    expect(rowsOf(rule(200), { microbatches: 2, copy: 1 })[1]).toBe('1F0 1B0 1F1 1B1');
    expect(rowsOf(rule(500), { microbatches: 2, copy: 1 })[1]).toBe('1F0 1F1 1B0 1B1');
    // Without E nothing is kept for gpu[0].
    const alone = rule(200).replace('allow(E, s) = s == 0', 'allow(E, s) = s < 0');
    expect(rowsOf(alone, { microbatches: 2, copy: 1 })[1]).toBe('1F0 1F1 1B0 1B1');
  });
  it('has a route in both directions, also where no stage sends to it', () => {
    const { routes, edges, placement } = planOf(rule(500), { devices: 4 });
    const pairs = routes.map(({ from, to }) => `${from} ${to}`);
    expect(pairs).toEqual(expect.arrayContaining(['0 3', '3 0', '1 2', '2 1']));
    expect(edges.some(({ from, to }) => placement[from] === 0 && placement[to] === 3)).toBe(false);
  });
});

describe('the order of a rule with E and L', () => {
  const rules = [
    'offload = host  allow(E, s) = s == 0  allow(L, s) = next(B, s) <= time(L, s)',
    'offload = host  allow(E, s) = held(s) - away(s) > 1  allow(L, s) = loaded(s) < 1',
    'offload(d) = devices - 1 - d  allow(E, s) = s < 2  allow(L, s) = next(B, s) <= time(L, s)',
    'offload = host  weights = stash  allow(E, s) = s < 2  allow(L, s) = next(B, s) <= time(L, s)',
  ];
  it.each(rules)('has the times and bytes of rows with this order: %s', (rule) => {
    const given = { devices: 4, microbatches: 7, copy: 10, latency: 1, message: 1 };
    const plan = planOf(`order = greedy(prefer = [B, E, L, F])  in_flight(s) = stages - s  ${rule}`, given);
    const to = rule.includes('host') ? 'host' : 'devices - 1 - DEVICE';
    const names = namesOf(programFor(plan));
    const rows = names.map((row, device) => {
      const items = row.map((name) =>
        name.replace(/^\d+([A-Z])(\d+)$/, (_, letter: string, number: string) =>
          letter === 'E' ? `E[${number}, to = ${to.replace('DEVICE', String(device))}]` : `${letter}[${number}]`,
        ),
      );
      return `row(${device}) = ${items.join(', ')}`;
    });
    const written = planOf(`${rows.join('\n')}  ${rule.includes('stash') ? 'weights = stash' : ''}`, given);
    expect(namesOf(programFor(written))).toEqual(names);
    const [ruled, same] = [plan, written].map((each) => evaluate(each, defaultOptions).run?.report);
    expect(ruled?.iteration).toBe(same?.iteration);
    expect(ruled?.devices).toEqual(same?.devices);
    expect(names.flat().some((name) => name.includes('E'))).toBe(true);
  });
  it('may be tested without a pipeline', () => {
    const rule = 'order = greedy(prefer = [B, E, L, F])  offload = host  in_flight(s) = stages - s';
    const text = `schedule mine { ${rule}  allow(L, s) = next(B, s) <= time(L, s) }
      expect mine { over(devices = 1..4, microbatches = 1..6) valid  in_flight <= devices }`;
    expect(analyse(text).findings).toEqual([]);
  });
});

describe('E and L that a rule cannot have', () => {
  const offload = 'offload = host';
  it.each([
    ['order = greedy(prefer = [B, E, F])  offload = host', 'what E sends, L brings back'],
    ['order = greedy(prefer = [B, R, E, L, F])  offload = host', '`R`, or `E` and `L`'],
    ['order = greedy(prefer = [B, E, L, E, F])  offload = host', 'each of `B`, `F` once'],
    ['order = greedy(prefer = [B, E, L, F])', 'This schedule needs "offload"'],
    ['order = greedy(prefer = [B, E, L, F])  offload(d) = d', 'the device itself'],
    ['order = greedy(prefer = [B, F])  allow(E, s) = s > 0', 'an operation that `prefer` lists'],
  ])('%s', (rule, message) => {
    const found = messagesOf(rule);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
  it('to a host that has no link', () => {
    const text = textOf(`order = greedy(prefer = [B, E, L, F])  ${offload}`).replace(/ host = .*? \}/, ' }');
    expect(
      analyse(text)
        .findings.filter(({ severity }) => severity === 'error')
        .map(({ message }) => message),
    ).toEqual(['Expected a link to the host in device "d", such as `host = 25GB/s + 5us`, found none.']);
  });
  it('with `offload`, but without E and L: it is left out', () => {
    const { findings } = analyse(textOf(`order = greedy(prefer = [B, F])  ${offload}`));
    const found = findings.filter(({ code }) => code === 'key/not-applicable');
    expect(found[0].message).toContain('the rule has no E and L');
  });
  it('names the load that its condition keeps away', () => {
    expect(messagesOf(`order = greedy(prefer = [E, B, L, F])  ${offload}  allow(L, s) = done(L) < 1`)[0]).toContain(
      '1L0 on gpu[1] waits for `done(L) < 1` (done(L) = 1)'.replace('1L0', '0L1').replace('gpu[1]', 'gpu[0]'),
    );
  });
});

/** Conditions as text, and what they say. */
type Allow = readonly [text: string, holds: (state: TickedState) => boolean];

const copies: readonly Allow[] = [
  ['', () => true],
  ['held(s) - away(s) > 1', ({ held, away }) => held - away > 1],
  ['bytes(s) > 150MB', ({ here }) => here > 1.5],
  ['mod(done(F), 2) == 0', ({ done }) => done('F') % 2 === 0],
  ['pending(F) == 0 or done(E) < 2', ({ pending, done }) => pending('F') === 0 || done('E') < 2],
];
const loads: readonly Allow[] = [
  ['', () => true],
  ['loaded(s) < 1', ({ loaded }) => loaded < 1],
  ['pending(B) == 0', ({ pending }) => pending('B') === 0],
  ['done(L) < done(F) - 1 or pending(F) == 0', ({ done, pending }) => done('L') < done('F') - 1 || pending('F') === 0],
];

const anyRule = fc.record({
  devices: fc.integer({ min: 1, max: 4 }),
  chunks: fc.integer({ min: 1, max: 2 }),
  microbatches: fc.integer({ min: 1, max: 6 }),
  forward: fc.integer({ min: 1, max: 5 }),
  backward: fc.integer({ min: 1, max: 8 }),
  message: fc.integer({ min: 0, max: 3 }),
  copy: fc.constantFrom(1, 2, 4, 5, 10),
  latency: fc.integer({ min: 0, max: 2 }),
  half: fc.boolean(),
  prefer: fc.shuffledSubarray(['B', 'E', 'F', 'L'], { minLength: 4 }),
  out: fc.constantFrom(...copies),
  back: fc.constantFrom(...loads),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
});

describe('a rule with E and L', () => {
  it('has the order of a plain simulator that looks at every tick', () => {
    let ended = 0;
    fc.assert(
      fc.property(anyRule, ({ prefer, out, back, limit, ...numbers }) => {
        const allow = (kind: string, text: string) => (text === '' ? '' : `allow(${kind}, s) = ${text}`);
        const inFlight = limit === undefined ? '' : `in_flight = ${limit}`;
        const rule = `order = greedy(prefer = [${prefer.join(', ')}])  offload = host  ${inFlight}
          ${allow('E', out[0])}  ${allow('L', back[0])}`;
        const made = generate(planOf(rule, numbers));
        const expected = tickedRule({
          placement: Array.from({ length: numbers.devices * numbers.chunks }, (_, stage) => stage % numbers.devices),
          microbatches: numbers.microbatches,
          prefer,
          ticks: (kind) => (kind === 'F' ? numbers.forward : numbers.backward),
          message: numbers.message,
          copy: { ticks: numbers.copy, latency: numbers.latency, half: numbers.half },
          allow: (kind, _, state) =>
            kind === 'E'
              ? out[1](state)
              : kind === 'L'
                ? back[1](state)
                : kind !== 'F' || limit === undefined || state.held < limit,
        });
        expect('program' in made ? namesOf(made.program) : undefined).toEqual(expected);
        if ('faults' in made) return;
        ended += 1;
        expect(validate(made.program, planOf(rule, numbers))).toEqual([]);
      }),
      { numRuns: 60 },
    );
    expect(ended).toBeGreaterThan(5);
  });
});
