import { B, F, I, kindOf, microbatchOf, type Program, stageNumberOf, U } from '../values/program.ts';

/** Microbatches of one update of a program. */
export const minibatchOf = ({ minibatch = 1 }: Program): number => minibatch;

/** Wave of each microbatch, and how many operations each wave has. */
export function wavesOf(program: Program, wave: number): { readonly waveOf: Int32Array; readonly left: Int32Array } {
  const { order, microbatches } = program;
  const size = minibatchOf(program) * wave;
  const waveOf = new Int32Array(microbatches);
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
    waveOf[microbatch] = Math.trunc(microbatch / size);
  const left = new Int32Array(Math.ceil(microbatches / size));
  for (let at = 0; at < order.length; at += 1) left[waveOf[microbatchOf(program, order[at])]] += 1;
  return { waveOf, left };
}

/**
 * Most minibatches that the input stage has in flight. A minibatch begins with its first forward. It ends with the last operation
 * that may admit the next one (the backward of the last microbatch, or its update if there is one). This is N_m of Park et al.,
 * "HetPipe" (2020), section 4: the wave of a worker.
 */
export function minibatchesInFlight(program: Program): number {
  const { devices, offsets, order } = program;
  const minibatch = minibatchOf(program);
  let all = 0;
  for (let device = 0; device < devices; device += 1) {
    const begun = new Set<number>();
    const last = lastOperations(program, device);
    let held = 0;
    let most = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      if (stageNumberOf(program, order[at]) !== 0) continue;
      const number = Math.trunc(microbatchOf(program, order[at]) / minibatch);
      if (kindOf(program, order[at]) === F && !begun.has(number)) {
        begun.add(number);
        held += 1;
        if (held > most) most = held;
      }
      if (last.get(number) === at) held -= 1;
    }
    // Replicas that take turns with whole minibatches add up; those that share each minibatch have the same ones in flight.
    const shares = program.copies !== undefined && minibatch % Math.max(...program.copies.every) === 0;
    all = shares ? Math.max(all, most) : all + most;
  }
  return all;
}

/** Position of the operation that ends each minibatch on the input stage, W apart: it may come long after. */
function lastOperations(program: Program, device: number): ReadonlyMap<number, number> {
  const { offsets, order } = program;
  const last = new Map<number, number>();
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
    const kind = kindOf(program, order[at]);
    if (stageNumberOf(program, order[at]) === 0 && (kind === B || kind === I || kind === U))
      last.set(Math.trunc(microbatchOf(program, order[at]) / minibatchOf(program)), at);
  }
  return last;
}
