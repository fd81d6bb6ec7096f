/** Programs that were made lately: what is known of a program stays known while only costs change. */
import type { Program } from '../values/program.ts';

/** Programs that are kept, and the operations that they have at most in all. */
const most = { programs: 4, operations: 1 << 21 };

let kept: readonly Program[] = [];

/** An earlier program if it is equal, otherwise this one, which is kept from then on. O(operations). */
export function keptProgram(program: Program): Program {
  const found = kept.find((earlier) => sameProgram(earlier, program)) ?? program;
  const latest = [found, ...kept.filter((earlier) => earlier !== found)].slice(0, most.programs);
  let operations = 0;
  kept = latest.filter(({ order }) => (operations += order.length) <= most.operations);
  return found;
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
