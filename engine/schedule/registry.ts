/** Every built-in policy. A new one is a file beside these and a line here. */
import type { Policy } from './policy.ts';
import { bpipe } from './policies/bpipe.ts';
import { amdp } from './policies/amdp.ts';
import { breadthFirst } from './policies/breadth_first.ts';
import { chimera } from './policies/chimera.ts';
import { dapple } from './policies/dapple.ts';
import { dualpipe } from './policies/dualpipe.ts';
import { dualpipeV } from './policies/dualpipe_v.ts';
import { eager1f1b } from './policies/eager_1f1b.ts';
import { gpipe } from './policies/gpipe.ts';
import { hanayo } from './policies/hanayo.ts';
import { interleaved1f1b } from './policies/interleaved_1f1b.ts';
import { interleavedZb } from './policies/interleaved_zb.ts';
import { oneFOneB } from './policies/one_f_one_b.ts';
import { pipedream } from './policies/pipedream.ts';
import { pipedream2bw } from './policies/pipedream_2bw.ts';
import { pipeswitch } from './policies/pipeswitch.ts';
import { pipemare } from './policies/pipemare.ts';
import { pipelinedBackprop } from './policies/pipelined_backprop.ts';
import { seq1f1b } from './policies/seq1f1b.ts';
import { torchgpipe } from './policies/torchgpipe.ts';
import { vHalf } from './policies/v_half.ts';
import { vMin } from './policies/v_min.ts';
import { xpipe } from './policies/xpipe.ts';
import { zbAuto } from './policies/zb_auto.ts';
import { zbH1 } from './policies/zb_h1.ts';
import { zbH2 } from './policies/zb_h2.ts';
import { zbV } from './policies/zb_v.ts';

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
  interleavedZb,
  zbV,
  vHalf,
  vMin,
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
