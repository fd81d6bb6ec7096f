/** Random schedules with declared operations, and the shortest of all orders of their operations by trying them all. */
import * as fc from '../../support/property.ts';

const stages = 2;

/** An operation of the schedule: before forwards, between forwards and backwards, or after backwards. */
interface Declared {
  readonly place: 'before' | 'between' | 'after';
  readonly time: number;
  /** Stages that run it, and whether only the first microbatch has it. */
  readonly on: readonly number[];
  readonly first: boolean;
  /** Stages of the operations that it waits for, and of those that wait for it. */
  readonly after: readonly number[];
  readonly before: readonly number[];
  /** It waits for the one before it in the list, at every stage that runs this. */
  readonly chained: boolean;
  /** Only microbatch 0 makes the others wait. */
  readonly some: boolean;
  /** It waits for the microbatch before it. */
  readonly inTurn: boolean;
}

export interface Choice {
  readonly microbatches: number;
  readonly times: readonly (readonly [number, number])[];
  /** Microbatches whose backward is I and W. */
  readonly split: readonly number[];
  readonly declared: readonly Declared[];
}

const someStages = fc.subarray([0, 1]);
const declared: fc.Arbitrary<Declared> = fc.record({
  place: fc.constantFrom('before', 'between', 'after'),
  time: fc.integer({ min: 0, max: 9 }),
  on: fc.subarray([0, 1], { minLength: 1 }),
  first: fc.boolean(),
  after: someStages,
  before: someStages,
  chained: fc.boolean(),
  some: fc.boolean(),
  inTurn: fc.boolean(),
});
const rank = { before: 0, between: 1, after: 2 };

const anyChoice: fc.Arbitrary<Choice> = fc.record({
  microbatches: fc.integer({ min: 1, max: 2 }),
  times: fc.tuple(
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
  ),
  split: fc.subarray([0, 1]),
  declared: fc
    .array(declared, { minLength: 1, maxLength: 2 })
    .map((list) => list.toSorted((a, b) => rank[a.place] - rank[b.place])),
});

/** Two microbatches have one operation of the schedule and at most one split backward: there are few enough orders to try them all. */
export const choices: fc.Arbitrary<Choice> = anyChoice.map((choice) =>
  choice.microbatches === 1
    ? choice
    : { ...choice, split: choice.split.slice(0, 1), declared: choice.declared.slice(0, 1) },
);

interface Operation {
  readonly name: string;
  readonly stage: number;
  readonly time: number;
  /** Operations that it waits for, and milliseconds that their results travel. */
  readonly needs: readonly (readonly [string, number])[];
}

const nameOf = (letter: string, microbatch: number, stage: number): string =>
  `${letter}[${microbatch}, stage = ${stage}]`;

/** What runs, with all that each operation waits for. A message takes 2 ms between devices, any other wait 1 ms. */
function operationsOf({ microbatches, times, split, declared: list }: Choice): readonly Operation[] {
  const found = new Map<string, { stage: number; time: number; needs: [string, number][] }>();
  const wait = (who: string, whom: string, message = false) => {
    const [user, made] = [found.get(who), found.get(whom)];
    if (user === undefined || made === undefined) return;
    user.needs.push([whom, user.stage === made.stage ? 0 : message ? 2 : 1]);
  };
  const backOf = (j: number): string => (split.includes(j) ? 'I' : 'B');
  const all = Array.from({ length: microbatches }, (_, j) => j);
  for (const j of all)
    for (const [stage, [forward, backward]] of times.entries()) {
      found.set(nameOf('F', j, stage), { stage, time: forward, needs: [] });
      found.set(nameOf(backOf(j), j, stage), { stage, time: split.includes(j) ? backward / 2 : backward, needs: [] });
      if (split.includes(j)) found.set(nameOf('W', j, stage), { stage, time: backward / 2, needs: [] });
      for (const [index, { time, on, first }] of list.entries())
        if (on.includes(stage) && (!first || j === 0))
          found.set(nameOf(`x${index}`, j, stage), { stage, time, needs: [] });
    }
  for (const j of all) {
    const back = backOf(j);
    for (let stage = 0; stage < stages; stage += 1) {
      wait(nameOf('F', j, stage), nameOf('F', j, stage - 1), true);
      wait(nameOf(back, j, stage), nameOf('F', j, stage));
      wait(nameOf(back, j, stage), nameOf(back, j, stage + 1), true);
      wait(nameOf('W', j, stage), nameOf(back, j, stage));
      for (const [index, { place, after, before, chained, some, inTurn }] of list.entries()) {
        const name = nameOf(`x${index}`, j, stage);
        for (const other of place === 'before' ? [] : after)
          wait(name, nameOf(place === 'after' ? back : 'F', j, other));
        if (!some || j === 0)
          for (const other of place === 'after' ? [] : before)
            wait(nameOf(place === 'before' ? 'F' : back, j, other), name);
        for (let other = 0; chained && other < stages; other += 1) wait(name, nameOf(`x${index - 1}`, j, other));
        if (inTurn) wait(name, nameOf(`x${index}`, j - 1, stage));
      }
    }
  }
  return Array.from(found, ([name, operation]) => ({ name, ...operation }));
}

/** The file: rows in an order that ends, with all microbatches of a kind before the next. */
export function textOf(choice: Choice): string {
  const { microbatches, times, declared: list } = choice;
  const texts = list.map(({ place, time, first, after, before, chained, some, inTurn }, index) => {
    const previous = index > 0 && chained ? list[index - 1] : undefined;
    const known = (previous?.on ?? []).map((stage) => `x${index - 1}[j, stage = ${stage}]`);
    const chain = previous?.first === true && !first ? known.map((each) => `if(j == 0, ${each}, [])`) : known;
    const awaited = [
      ...(place === 'before' ? [] : after).map((stage) => `${place === 'after' ? 'B' : 'F'}[j, stage = ${stage}]`),
      ...chain,
      ...(inTurn && !first ? [`if(j > 0, x${index}[max(j - 1, 0), stage = s], [])`] : []),
    ];
    const users = (place === 'after' ? [] : before).map((stage) => {
      const user = `${place === 'before' ? 'F' : 'B'}[j, stage = ${stage}]`;
      return some ? `if(j == 0, ${user}, [])` : user;
    });
    return `operation x${index} { time = ${time}ms
      ${awaited.length === 0 ? '' : `after(s, j) = ${awaited.join(', ')}`}
      ${users.length === 0 ? '' : `before(s, j) = ${users.join(', ')}`} }`;
  });
  const operations = operationsOf(choice);
  const letters = ['before', 'F', 'between', 'B', 'I', 'after', 'W'];
  const sorted = letters.flatMap((letter) =>
    operations.filter(({ name }) => {
      const index = /^x(\d)/.exec(name)?.[1];
      return index === undefined ? name.startsWith(letter) : list[Number(index)].place === letter;
    }),
  );
  // Operations that wait for each other in a list keep its order: the second is behind the first for every microbatch.
  const placed = sorted.toSorted((a, b) => letterAt(letters, list, a.name) - letterAt(letters, list, b.name));
  const rows = times.map(
    (_, stage) => `row(${stage}) = ${placed.flatMap((each) => (each.stage === stage ? [each.name] : [])).join(', ')}`,
  );
  const layers = times.map(
    ([forward, backward], stage) =>
      `layer a${stage} { forward = ${forward}ms  backward = ${backward}ms  activation = 1MiB  output = 10MB }`,
  );
  return `schedule mine { ${texts.join('\n')}\n${rows.join('\n')} }
    device x { memory = 80GiB }
    cluster box { gpu[${stages}] = x  link = 10GB/s + 1ms }
    model m { ${layers.join('\n')} }
    pipeline train { model = m  devices = box  microbatches = ${microbatches}  stages = balance(${stages})  schedule = mine }`;
}

function letterAt(letters: readonly string[], list: readonly Declared[], name: string): number {
  const index = /^x(\d)/.exec(name)?.[1];
  return index === undefined
    ? 10 * letters.indexOf(name[0])
    : 10 * letters.indexOf(list[Number(index)].place) + Number(index);
}

/** Milliseconds of the shortest order. Operations are appended in the order of their starts, in every way. Transfers never queue. */
export function shortestOf(choice: Choice): number {
  const operations = operationsOf(choice);
  const ends = new Map<string, number>();
  const free = [0, 0];
  const left = [0, 0];
  for (const { stage, time } of operations) left[stage] += time;
  let best = Infinity;
  const append = (since: number, over: number): void => {
    // A device must still do its work.
    if (Math.max(over, free[0] + left[0], free[1] + left[1]) >= best) return;
    if (ends.size === operations.length) {
      best = over;
      return;
    }
    for (const { name, stage, time, needs } of operations) {
      if (ends.has(name)) continue;
      const before = free[stage];
      const start = needs.reduce(
        (latest, [whom, delay]) => Math.max(latest, (ends.get(whom) ?? Infinity) + delay),
        before,
      );
      if (start < since || start === Infinity) continue;
      ends.set(name, start + time);
      free[stage] = start + time;
      left[stage] -= time;
      append(start, Math.max(over, start + time));
      ends.delete(name);
      free[stage] = before;
      left[stage] += time;
    }
  };
  append(0, 0);
  return best;
}
