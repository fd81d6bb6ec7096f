/** Programs that were made lately: what is known of a program stays known while only costs change. */
import type { Policy, Shape } from '../policies/policy.ts';
import type { Program } from '../values/program.ts';

/** Programs that are kept, and the operations that they have at most in all. */
const most = { programs: 4, operations: 1 << 21 };

let kept: readonly Program[] = [];

/** An earlier program if it is equal, otherwise this one, which is kept from then on. O(operations). */
export function keptProgram(program: Program): Program {
  return keep(kept.find((earlier) => sameProgram(earlier, program)) ?? program);
}

function keep(program: Program): Program {
  const latest = [program, ...kept.filter((earlier) => earlier !== program)].slice(0, most.programs);
  let operations = 0;
  kept = latest.filter(({ order }) => (operations += order.length) <= most.operations);
  return program;
}

/** What a policy saw when it made a program, and the figures that it read. */
interface Making {
  readonly policy: Policy;
  readonly shape: Shape;
  readonly read: ReadonlySet<keyof Shape>;
}

const makings = new WeakMap<Program, Making>();

/** Figures that change with costs; all else in a shape is always compared. */
const figures = [
  ...(['forward', 'backwardInput', 'backwardWeight', 'recompute', 'transfer', 'transfers'] as const),
  ...(['activation', 'activationForWeight', 'step', 'room', 'jitter', 'slow'] as const),
];

/**
 * The program of a policy for a shape. An earlier program is kept if its shape is equal, apart from figures that the policy did not
 * read. Most policies read none, so another cost makes no order anew.
 */
export function programOfShape(policy: Policy, shape: Shape, make: (seen: Shape) => Program): Program {
  // What a search finds depends on how long it may take, and on orders that it is given.
  if (policy.prepare !== undefined || policy.searches === true) return make(shape);
  const earlier = kept.find((program) => isMadeFor(makings.get(program), policy, shape));
  if (earlier !== undefined) return keep(earlier);
  const read = new Set<keyof Shape>();
  const seen: Shape = { ...shape };
  for (const figure of figures)
    Object.defineProperty(seen, figure, {
      enumerable: true,
      get: () => {
        read.add(figure);
        return shape[figure];
      },
    });
  const program = keptProgram(make(seen));
  makings.set(program, { policy, shape, read });
  return program;
}

function isMadeFor(making: Making | undefined, policy: Policy, shape: Shape): boolean {
  if (making?.policy !== policy) return false;
  const unread = new Set<string>(figures.filter((figure) => !making.read.has(figure)));
  const keys = new Set([...Object.keys(shape), ...Object.keys(making.shape)]) as ReadonlySet<keyof Shape>;
  return [...keys].every((key) => unread.has(key) || sameValue(making.shape[key], shape[key]));
}

/** Whether two programs have equal values everywhere. The short ones are compared first. */
function sameProgram(a: Program, b: Program): boolean {
  if (a.order.length !== b.order.length || a.microbatches !== b.microbatches || a.stages !== b.stages) return false;
  return sameValue(a, b);
}

function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) && isArray(b)) return sameArray(a, b);
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && sameValue(value, b.get(key)));
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameValue(value, right.get(key)));
}

const isArray = (value: object): value is ArrayLike<unknown> => Array.isArray(value) || ArrayBuffer.isView(value);

function sameArray(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  if (a instanceof Int32Array && b instanceof Int32Array) {
    for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
    return true;
  }
  for (let index = 0; index < a.length; index += 1) if (!sameValue(a[index], b[index])) return false;
  return true;
}
