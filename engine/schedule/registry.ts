/** Every built-in policy. A new one is a file beside these and a line here. */
import type { Policy } from './policy.ts';
import { eager1f1b } from './policies/eager_1f1b.ts';
import { gpipe } from './policies/gpipe.ts';
import { interleaved1f1b } from './policies/interleaved_1f1b.ts';
import { oneFOneB } from './policies/one_f_one_b.ts';
import { zbH1 } from './policies/zb_h1.ts';
import { zbH2 } from './policies/zb_h2.ts';

export const policies: readonly Policy[] = [gpipe, oneFOneB, eager1f1b, interleaved1f1b, zbH1, zbH2];

const byName: ReadonlyMap<string, Policy> = new Map(policies.map((policy) => [policy.name, policy]));

/** The policy called `name`, as a file writes it. */
export const findPolicy = (name: string): Policy | undefined => byName.get(name);
