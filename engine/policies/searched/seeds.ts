/** Orders of other policies as words, for the search to begin with. */
import type { Layout, Words } from '../../search/layout.ts';
import type { Objective } from '../../search/run.ts';
import type { Seed } from '../../search/search.ts';
import { breadthFirst } from '../builtin/breadth_first.ts';
import { dualpipeV } from '../builtin/dualpipe_v.ts';
import { eager1f1b } from '../builtin/eager_1f1b.ts';
import { gpipe } from '../builtin/gpipe.ts';
import { hanayo } from '../builtin/hanayo.ts';
import { interleaved1f1b } from '../builtin/interleaved_1f1b.ts';
import { interleavedZb } from '../builtin/interleaved_zb.ts';
import { oneFOneB } from '../builtin/one_f_one_b.ts';
import { oneFOneBV } from '../builtin/one_f_one_b_v.ts';
import { vHalf } from '../builtin/v_half.ts';
import { vMin } from '../builtin/v_min.ts';
import { zbAuto } from '../builtin/zb_auto.ts';
import { zbH1 } from '../builtin/zb_h1.ts';
import { zbH2 } from '../builtin/zb_h2.ts';
import { zbV } from '../builtin/zb_v.ts';
import type { OperationSink, Policy, PolicyArguments, Shape } from '../policy.ts';

interface Candidate {
  readonly policy: Policy;
  readonly args?: PolicyArguments;
}

const candidates: readonly Candidate[] = [
  { policy: oneFOneB },
  { policy: zbH1 },
  { policy: zbH2 },
  { policy: eager1f1b },
  { policy: gpipe },
  { policy: zbAuto },
  { policy: zbV },
  { policy: vHalf },
  { policy: vMin },
  { policy: oneFOneBV },
  { policy: dualpipeV },
  { policy: hanayo, args: { waves: 1 } },
  { policy: interleavedZb, args: { chunks: 2 } },
  { policy: interleaved1f1b, args: { chunks: 2 } },
  { policy: breadthFirst, args: { chunks: 2 } },
];

/**
 * The orders of policies that put the stages on the same devices and take this shape. `zb_auto` gets the limit and the objective
 * of the search.
 */
export function seedsOf(shape: Shape, layout: Layout, objective: Objective): readonly Seed[] {
  const { device } = layout.problem;
  return candidates.flatMap(({ policy, args = {} }) => {
    const { limit = 'device' } = shape.args;
    const given = policy === zbAuto ? { limit, objective: objective === 'end' ? 'makespan' : 'span' } : args;
    const asked: Shape = { ...shape, args: given };
    if (policy.chunks(given) !== shape.chunks || policy.check(asked).length > 0) return [];
    if (policy.placement(asked).some((on, stage) => on !== device[stage])) return [];
    const words = wordsOf(policy, asked, layout);
    return words === undefined ? [] : [{ name: policy.name, words }];
  });
}

/** An order in words. Backwards are split, or made whole, as the layout has them. */
function wordsOf(policy: Policy, shape: Shape, layout: Layout): Words | undefined {
  const { stages, offsets, device: deviceOf, indexOf, problem } = layout;
  const words: Words = new Uint8Array(offsets[problem.devices]);
  const cursor = offsets.slice(0, problem.devices);
  let fits = true;
  const write = (code: number): void => {
    const device = deviceOf[code];
    if (cursor[device] < offsets[device + 1]) words[cursor[device]] = indexOf[code];
    cursor[device] += 1;
  };
  const weight = (stage: number): void => {
    if (problem.weight[stage] > 0) write(2 * stages + stage);
  };
  const unfit = (): void => {
    fits = false;
  };
  const sink: OperationSink = {
    forward: write,
    backward(stage) {
      write(stages + stage);
      weight(stage);
    },
    backwardInput: (stage) => write(stages + stage),
    backwardWeight: weight,
    recompute: unfit,
    update: unfit,
    evict: unfit,
    load: unfit,
    fuse: () => undefined,
  };
  for (let device = 0; device < problem.devices; device += 1) policy.order(shape, device, sink);
  return fits && cursor.every((at, device) => at === offsets[device + 1]) ? words : undefined;
}
