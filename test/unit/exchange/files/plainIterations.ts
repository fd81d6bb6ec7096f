/**
 * The plain way to run iterations whose gradients a rule orders: layer by layer, with times that count on from the first iteration,
 * and maps by name. It shares no code with the engine. What each device does in which order is given.
 */
import { plainForward } from '../plainForward.ts';
import { referenceLane, type ReferenceLane } from '../referenceLane.ts';

export interface PlainLayer {
  readonly forward: number;
  /** Of the backward: input and weight gradients. */
  readonly input: number;
  readonly weight: number;
  readonly bytes: number;
}

export interface PlainOperation {
  readonly kind: 'F' | 'B' | 'I' | 'W';
  /** A copy of a stage has a number, too. */
  readonly stage: number;
  readonly microbatch: number;
}

export interface PlainRule extends Pick<ReferenceLane, 'piece' | 'credit' | 'strict' | 'ack' | 'early' | 'delay'> {
  readonly barrier: boolean;
  readonly order: 'ready' | 'forward';
  /** A bucket closes with the layer that reaches that many bytes; the first one of each stage has another size. */
  readonly bucket: number;
  readonly first: number;
  /** What is ready at multiples of `cycle` is fused while it is at most `fuse` bytes. */
  readonly cycle?: { readonly every: number; readonly fuse: number };
}

export interface PlainPipeline {
  /** Layers by stage of the model. */
  readonly layers: readonly (readonly PlainLayer[])[];
  /** By stage, copies included: the stage of the model, its device, and who needs its output. */
  readonly stages: readonly { readonly of: number; readonly device: number; readonly next: readonly number[] }[];
  readonly devices: readonly (readonly PlainOperation[])[];
  /** Seconds that a message holds its line, and until it arrives after that. */
  readonly occupancy: number;
  readonly latency: number;
  readonly rule: PlainRule;
  /** Seconds of so many bytes on the lane of so many copies. */
  readonly push: (bytes: number, copies: number) => number;
  readonly pull?: (bytes: number, copies: number) => number;
  /** Of a scatter, and of a gather: all are scattered, then gathered from the front on. */
  readonly half?: (bytes: number, copies: number) => number;
  /** Seconds of the optimizer's step of a device. */
  readonly step: number;
}

/** Seconds from the end of the last iteration but one to the end of the last. */
export function plainPeriod(pipeline: PlainPipeline, iterations: number): number {
  const { barrier } = pipeline.rule;
  const free = pipeline.devices.map(() => 0);
  let there = new Map<string, number>();
  let end = 0;
  let period = 0;
  for (let iteration = 0; iteration < (barrier ? 1 : iterations); iteration += 1) {
    const { ready, origin } = runOnce(pipeline, free, there, iteration > 0);
    const last = Math.max(...free);
    period = last - end;
    end = last;
    there = exchange(pipeline, ready, origin);
  }
  return barrier ? Math.max(end, ...there.values()) + pipeline.step : period;
}

/** Runs all operations once. `free` becomes the end of each device; gradients are by `device stage layer`. */
function runOnce(
  { layers, stages, devices, occupancy, latency, rule, step }: PlainPipeline,
  free: number[],
  there: ReadonlyMap<string, number>,
  steps: boolean,
) {
  const done = new Map<string, number>();
  const lines = new Map<string, number>();
  const ready = new Map<string, number>();
  const begun = new Map<string, number>();
  const stepped = new Set<string>();
  const next = devices.map(() => 0);
  const before = stages.map((_, stage) => stages.flatMap((each, from) => (each.next.includes(stage) ? [from] : [])));
  for (let moved = true; moved;) {
    moved = false;
    for (const [device, operations] of devices.entries()) {
      const operation = operations.at(next[device]);
      if (operation === undefined) continue;
      const { kind, stage, microbatch } = operation;
      const needed =
        kind === 'F'
          ? before[stage].map((from) => `F ${from} ${microbatch} ${device}`)
          : kind === 'W'
            ? [`B ${stage} ${microbatch} ${device}`]
            : [
                `F ${stage} ${microbatch} ${device}`,
                ...stages[stage].next.map((to) => `B ${to} ${microbatch} ${device}`),
              ];
      const arrivals = needed.map((name) => done.get(name));
      if (arrivals.includes(undefined)) continue;
      let now = Math.max(free[device], ...arrivals.map((at) => at ?? 0));
      const start = now;
      const { of } = stages[stage];
      if (kind === 'F') {
        const all = stages.flatMap((each) => (each.device === device ? layers[each.of] : []));
        const bytes = all.reduce((sum, layer) => sum + layer.bytes, 0);
        now = plainForward(
          layers[of].map((layer, at) => {
            const name = `${device} ${of} ${at}`;
            const isFirst = steps && !rule.barrier && !stepped.has(name) && bytes > 0;
            stepped.add(name);
            return {
              forward: layer.forward,
              step: isFirst ? (step * layer.bytes) / bytes : 0,
              there: there.get(`${of} ${at}`) ?? 0,
            };
          }),
          { from: free[device], input: Math.max(0, ...arrivals.map((at) => at ?? 0)) },
        );
      } else
        for (const [back, layer] of layers[of].toReversed().entries()) {
          now += kind === 'B' ? layer.input + layer.weight : kind === 'I' ? layer.input : layer.weight;
          if (kind !== 'I') ready.set(`${device} ${of} ${layers[of].length - 1 - back}`, now);
        }
      if (kind !== 'F' && kind !== 'I') begun.set(`${device} ${of}`, start);
      free[device] = now;
      next[device] += 1;
      moved = true;
      if (kind === 'W') continue;
      const name = kind === 'F' ? 'F' : 'B';
      done.set(`${name} ${stage} ${microbatch} ${device}`, now);
      for (const to of name === 'F' ? stages[stage].next : before[stage]) {
        const other = stages[to].device;
        if (other === device) continue;
        const line = `${device} ${other}`;
        const leaves = Math.max(now, lines.get(line) ?? 0);
        lines.set(line, leaves + occupancy);
        done.set(`${name} ${stage} ${microbatch} ${other}`, leaves + occupancy + latency);
      }
    }
  }
  if (next.some((at, device) => at < devices[device].length)) throw new Error('operations wait for each other');
  return { ready, origin: begun };
}

/** When each tensor is there, by `stage layer`. Devices that hold copies of a stage share their lane. */
function exchange(
  { layers, stages, rule, push, pull, half }: PlainPipeline,
  ready: ReadonlyMap<string, number>,
  begun: ReadonlyMap<string, number>,
): Map<string, number> {
  const there = new Map<string, number>();
  const holders = (of: number): number[] => stages.flatMap((each) => (each.of === of ? [each.device] : []));
  const lanes = new Map<string, number[]>();
  for (const of of layers.keys()) {
    const name = holders(of)
      .sort((a, b) => a - b)
      .join();
    lanes.set(name, [...(lanes.get(name) ?? []), of]);
  }
  for (const [name, held] of lanes) {
    const copies = name.split(',').length;
    const tensors = held.flatMap((of) =>
      layers[of].map(({ bytes }, at) => ({
        ...{ of, at, bytes },
        ready: Math.max(...holders(of).map((device) => ready.get(`${device} ${of} ${at}`) ?? 0)),
      })),
    );
    const sent = tensors.filter(({ bytes }) => bytes > 0);
    if (sent.length === 0) continue;
    const buckets: number[][] = [];
    if (rule.cycle === undefined)
      for (const of of held) {
        const closed: number[][] = [];
        let open: number[] = [];
        let size = 0;
        for (let at = sent.length - 1; at >= 0; at -= 1) {
          if (sent[at].of !== of) continue;
          open.push(at);
          size += sent[at].bytes;
          if (size < (closed.length === 0 ? rule.first : rule.bucket)) continue;
          closed.push(open);
          [open, size] = [[], 0];
        }
        buckets.push(...closed, ...(open.length > 0 ? [open] : []));
      }
    else {
      const { every, fuse } = rule.cycle;
      const origin = Math.min(
        ...held.flatMap((of) => holders(of).map((device) => begun.get(`${device} ${of}`) ?? Infinity)),
      );
      const left = sent.map((_, at) => at).sort((a, b) => sent[a].ready - sent[b].ready || b - a);
      for (let tick = origin; left.length > 0; tick += every)
        for (let size = 0, open: number[] = []; left.length > 0 && sent[left[0]].ready <= tick;) {
          const at = left.shift() ?? 0;
          if (open.length === 0 || size + sent[at].bytes > fuse) buckets.push((open = []));
          size = (open.length === 0 ? 0 : size) + sent[at].bytes;
          open.push(at);
          sent[at].ready = tick;
        }
    }
    const lane: ReferenceLane = {
      tensors: sent.map(({ bytes, ready: at }, index) => ({
        bytes,
        ready: at,
        urgency: rule.order === 'ready' ? 0 : index,
      })),
      buckets,
      push: (bytes) => (half ?? push)(bytes, copies),
      ...(pull === undefined ? {} : { pull: (bytes: number) => pull(bytes, copies) }),
      ...rule,
    };
    const { arrival } = referenceLane(lane);
    if (half !== undefined) {
      const scattered = Math.max(...arrival);
      const tensors = lane.tensors.map(({ bytes }, urgency) => ({ bytes, urgency, ready: scattered }));
      referenceLane({ ...lane, tensors }).arrival.forEach((at, index) => {
        arrival[index] = at;
      });
    }
    sent.forEach(({ of, at }, index) => there.set(`${of} ${at}`, arrival[index]));
  }
  return there;
}
