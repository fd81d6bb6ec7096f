/** Every built-in policy. A new one is a file beside these and a line here. */
import type { Policy } from './policy.ts';
import { breadthFirst } from './policies/breadth_first.ts';
import { dapple } from './policies/dapple.ts';
import { eager1f1b } from './policies/eager_1f1b.ts';
import { gpipe } from './policies/gpipe.ts';
import { hanayo } from './policies/hanayo.ts';
import { interleaved1f1b } from './policies/interleaved_1f1b.ts';
import { interleavedZb } from './policies/interleaved_zb.ts';
import { oneFOneB } from './policies/one_f_one_b.ts';
import { vHalf } from './policies/v_half.ts';
import { vMin } from './policies/v_min.ts';
import { zbH1 } from './policies/zb_h1.ts';
import { zbH2 } from './policies/zb_h2.ts';
import { zbV } from './policies/zb_v.ts';

export const policies: readonly Policy[] = [
  gpipe,
  oneFOneB,
  eager1f1b,
  dapple,
  interleaved1f1b,
  breadthFirst,
  hanayo,
  zbH1,
  zbH2,
  interleavedZb,
  zbV,
  vHalf,
  vMin,
];

const byName: ReadonlyMap<string, Policy> = new Map(policies.map((policy) => [policy.name, policy]));

/** The policy called `name`, as a file writes it. */
export const findPolicy = (name: string): Policy | undefined => byName.get(name);
