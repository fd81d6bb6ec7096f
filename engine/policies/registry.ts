/** Every built-in policy. A new one is a file next to these and a line here. */
import type { Policy } from './policy.ts';
import { bpipe } from './builtin/bpipe.ts';
import { amdp } from './builtin/amdp.ts';
import { breadthFirst } from './builtin/breadth_first.ts';
import { chimera } from './builtin/chimera.ts';
import { dapple } from './builtin/dapple.ts';
import { dualpipe } from './builtin/dualpipe.ts';
import { dualpipeV } from './builtin/dualpipe_v.ts';
import { eager1f1b } from './builtin/eager_1f1b.ts';
import { gpipe } from './builtin/gpipe.ts';
import { hanayo } from './builtin/hanayo.ts';
import { interleaved1f1b } from './builtin/interleaved_1f1b.ts';
import { interleavedZb } from './builtin/interleaved_zb.ts';
import { oneFOneBV } from './builtin/one_f_one_b_v.ts';
import { oneFOneB } from './builtin/one_f_one_b.ts';
import { pipedream } from './builtin/pipedream.ts';
import { pipedream2bw } from './builtin/pipedream_2bw.ts';
import { pipeswitch } from './builtin/pipeswitch.ts';
import { pipemare } from './builtin/pipemare.ts';
import { pipelinedBackprop } from './builtin/pipelined_backprop.ts';
import { search } from './builtin/search.ts';
import { seq1f1b } from './builtin/seq1f1b.ts';
import { torchgpipe } from './builtin/torchgpipe.ts';
import { vHalf } from './builtin/v_half.ts';
import { vMin } from './builtin/v_min.ts';
import { xpipe } from './builtin/xpipe.ts';
import { zbAuto } from './builtin/zb_auto.ts';
import { zbH1 } from './builtin/zb_h1.ts';
import { zbH2 } from './builtin/zb_h2.ts';
import { zbV } from './builtin/zb_v.ts';

export const policies: readonly Policy[] = [
  gpipe,
  torchgpipe,
  oneFOneB,
  eager1f1b,
  dapple,
  bpipe,
  interleaved1f1b,
  breadthFirst,
  hanayo,
  zbH1,
  zbH2,
  zbAuto,
  search,
  interleavedZb,
  zbV,
  vHalf,
  vMin,
  oneFOneBV,
  seq1f1b,
  chimera,
  dualpipe,
  dualpipeV,
  pipedream,
  pipedream2bw,
  pipelinedBackprop,
  pipemare,
  xpipe,
  amdp,
  pipeswitch,
];

const byName: ReadonlyMap<string, Policy> = new Map(policies.map((policy) => [policy.name, policy]));

/** The policy called `name`, as a file writes it. */
export const findPolicy = (name: string): Policy | undefined => byName.get(name);
