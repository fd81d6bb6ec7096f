import { leastFinish } from './bound.ts';
import { bucketsByCycle, bucketsOf } from './buckets.ts';
import { leastSeconds } from './callParts.ts';
import type { LaneProblem } from './lane.ts';

/**
 * Seconds: the least max(arrival + tail) of the lane's tensors over all orders and all pieces of these buckets, each of which takes
 * at least one call. With a barrier, tails are 0. −∞ for a lane without buckets. `times`: of the tensors of these buckets, other times; a
 * tensor that is ready at −∞ is left out.
 */
export function laneBound(problem: LaneProblem, barrier: boolean, times?: Pick<LaneProblem, 'ready' | 'tail'>): number {
  const { tensors, calls, rule, ready } = problem;
  const { offsets, members, call, bytes, ...buckets } =
    rule.cycle === undefined
      ? bucketsOf(tensors, ready, problem.closes)
      : bucketsByCycle(tensors, ready, rule.cycle, rule.fuse ?? Infinity, problem.origin);
  const apart = rule.halves === 'apart';
  // A layer that may start early waits for its bytes only. So each tensor is a job, with its share of the bucket's seconds.
  const jobs = rule.earlyStart ? members.length : buckets.ready.length;
  const release = new Float64Array(jobs);
  const tail = new Float64Array(jobs);
  const sent = new Float64Array(jobs);
  const back = new Float64Array(jobs);
  // Seconds on the way, after a push or a pull has left its lane.
  const out = new Float64Array(jobs);
  const both = new Float64Array(jobs);
  buckets.ready.forEach((at, bucket) => {
    const { push, pull, halves, oneLane, delay = 0 } = calls[call[bucket]];
    const parts = apart ? halves : undefined;
    const first = leastSeconds(parts?.scatter ?? push, bytes[bucket]);
    const second = parts?.gather ?? pull;
    const returned = second === undefined ? 0 : leastSeconds(second, bytes[bucket]);
    const shared = apart || oneLane === true;
    let begins = times === undefined ? at : -Infinity;
    for (let member = offsets[bucket]; times !== undefined && member < offsets[bucket + 1]; member += 1)
      begins = Math.max(begins, times.ready[members[member]]);
    for (let member = offsets[bucket]; member < offsets[bucket + 1]; member += 1) {
      const tensor = members[member];
      if (times?.ready[tensor] === -Infinity) continue;
      const job = rule.earlyStart ? member : bucket;
      const share = rule.earlyStart ? tensors[tensor].bytes / bytes[bucket] : 1;
      release[job] = begins;
      tail[job] = barrier ? 0 : Math.max(tail[job], (times ?? problem).tail[tensor]);
      sent[job] = share * (shared ? first + returned : first);
      back[job] = shared ? 0 : share * returned;
      out[job] = shared || second === undefined ? 0 : delay;
      both[job] = out[job] + delay;
    }
  });
  const finish = leastFinish({ ready: release, seconds: sent, tail: tail.map((each, job) => each + both[job]) });
  // What is pulled goes over another lane.
  const pulled = leastFinish({
    ready: release.map((each, job) => each + out[job]),
    seconds: back,
    tail: tail.map((each, job) => each + both[job] - out[job]),
  });
  return Math.max(finish, pulled);
}
