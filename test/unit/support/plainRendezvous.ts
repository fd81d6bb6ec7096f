import type { PipelinePlan, TransferRule } from '../../../engine/values/plan.ts';
import { B, F, I, W, kindOf, microbatchOf, type Program, stageOf } from '../../../engine/values/program.ts';

interface Exchange {
  readonly key: string;
  /** Stages between its ends. */
  readonly apart: number;
  readonly way: 'send' | 'receive';
  readonly peer: number;
  readonly seconds: number;
}
type Item =
  | { readonly operation: string; readonly seconds: number; readonly after: readonly string[] }
  | { readonly group: readonly Exchange[] };

/**
 * An independent way to the times of blocking sends and receives: lists of steps by name, and passes over all devices that move
 * every device that can move, until none can. Channels without contention. Ends by `kind/stage/microbatch`; undefined where it
 * stands still before its end.
 */
export function plainRendezvous(
  plan: PipelinePlan,
  program: Program,
  batched: TransferRule['batched'],
): Map<string, number> | undefined {
  const ends = plainRendezvousUntilStalled(plan, program, batched);
  return ends.size < program.order.length ? undefined : ends;
}

/** The same, with the ends of what runs before it stands still. */
export function plainRendezvousUntilStalled(
  plan: PipelinePlan,
  program: Program,
  batched: TransferRule['batched'],
): Map<string, number> {
  const all = Array.from(program.order, (word) => ({
    kind: kindOf(program, word),
    stage: stageOf(program, word),
    microbatch: microbatchOf(program, word),
  }));
  const backward = (stage: number, microbatch: number) =>
    all.some((candidate) => candidate.kind === B && candidate.stage === stage && candidate.microbatch === microbatch)
      ? B
      : I;
  const seconds = (kind: number, stage: number): number => {
    const { forward, backwardInput, backwardWeight } = plan.stages[stage];
    return [forward, backwardInput + backwardWeight, backwardInput, backwardWeight][kind];
  };
  const delay = (from: number, to: number, bytes: number): number => {
    const route = plan.routes.find((routePlan) => routePlan.from === from && routePlan.to === to);
    return route === undefined ? 0 : route.latency + bytes / route.bandwidth;
  };
  const before: Exchange[][] = all.map(() => []);
  /** Operations of the same device that each needs. */
  const local: string[][] = all.map(({ kind, stage, microbatch }) =>
    kind === F ? [] : [`${kind === W ? I : F}/${stage}/${microbatch}`],
  );
  const after: Exchange[][] = all.map(() => []);
  const indexOf = (kind: number, stage: number, microbatch: number) =>
    all.findIndex(
      (candidate) => candidate.kind === kind && candidate.stage === stage && candidate.microbatch === microbatch,
    );
  const exchange = (maker: number, user: number, bytes: number, edge: number): void => {
    const from = program.placement[all[maker].stage];
    const to = program.placement[all[user].stage];
    if (from === to) {
      const { kind, stage, microbatch } = all[maker];
      local[user].push(`${kind}/${stage}/${microbatch}`);
      return;
    }
    // A pair of stages may have several edges.
    const key = `${maker}>${user}/${edge}`;
    const apart = Math.abs(all[maker].stage - all[user].stage);
    before[user].push({ key, apart, way: 'receive', peer: from, seconds: delay(from, to, bytes) });
    after[maker].push({ key, apart, way: 'send', peer: to, seconds: delay(from, to, bytes) });
  };
  for (const [index, { kind, stage, microbatch }] of all.entries()) {
    if (kind === W) continue;
    for (const [at, edge] of plan.edges.entries()) {
      if (kind === F && edge.to === stage) exchange(indexOf(F, edge.from, microbatch), index, edge.bytes, at);
      if (kind !== F && edge.from === stage)
        exchange(indexOf(backward(edge.to, microbatch), edge.to, microbatch), index, edge.bytes, at);
    }
  }
  // The nearest stage is sent to first; what comes from the farthest is received first.
  for (const list of after) list.sort((a, b) => a.apart - b.apart);
  for (const list of before) list.sort((a, b) => b.apart - a.apart);

  const rows: Item[][] = Array.from({ length: program.devices }, (_, device) => {
    const row: Item[] = [];
    let sends: Exchange[] = [];
    const gap = (receives: readonly Exchange[]) => {
      const both = [...sends, ...receives];
      if (batched === 'all' && both.length > 0) row.push({ group: both });
      else {
        for (const each of both) {
          const same = both.filter(({ peer }) => batched === 'peer' && peer === each.peer);
          const mixed = same.some(({ way }) => way === 'send') && same.some(({ way }) => way === 'receive');
          if (!mixed) row.push({ group: [each] });
          else if (same[0] === each) row.push({ group: same });
        }
      }
      sends = [];
    };
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
      gap(before[at]);
      const { kind, stage, microbatch } = all[at];
      row.push({ operation: `${kind}/${stage}/${microbatch}`, seconds: seconds(kind, stage), after: local[at] });
      sends = [...after[at]];
    }
    gap([]);
    return row;
  });

  const cursor = rows.map(() => 0);
  const time = rows.map(() => 0);
  const ends = new Map<string, number>();
  // When each side came to an exchange; a device stays at a group until both sides of all of it are there.
  const came = new Map<string, number>();
  for (let moved = true; moved;) {
    moved = false;
    for (const [device, row] of rows.entries()) {
      const item = row[cursor[device]];
      if (item === undefined) continue;
      if ('operation' in item) {
        if (!item.after.every((name) => ends.has(name))) continue;
        time[device] += item.seconds;
        ends.set(item.operation, time[device]);
      } else {
        for (const each of item.group) {
          if (!came.has(`${each.key}/${each.way}`)) moved = true;
          came.set(`${each.key}/${each.way}`, time[device]);
        }
        const over = item.group.map((each) => {
          const sent = came.get(`${each.key}/send`);
          const taken = came.get(`${each.key}/receive`);
          return sent === undefined || taken === undefined ? Infinity : Math.max(sent, taken) + each.seconds;
        });
        if (over.includes(Infinity)) continue;
        time[device] = Math.max(...over);
      }
      cursor[device] += 1;
      moved = true;
    }
  }
  return ends;
}
