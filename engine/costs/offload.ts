/**
 * Activations of the first layers of a stage that go to the host in the forward and come back in the backward, as Transformer Engine does it
 * (`pytorch/cpu_offload.py`, `get_cpu_offload_context(num_layers, model_layers)`).
 *
 * Of n counted layers, k are offloaded, and r = n − k stay. In the forward the copy of layer i begins when the layer has run, and layer
 * i + r waits for its end. In the backward the copy back begins when layer i + r is done, and layer i waits for it. So at most r counted
 * layers are on the device at a time. Copies of one direction follow each other, and run while layers run.
 */

/** A layer as the copies see it: seconds and bytes of one microbatch on one device. */
export interface OffloadedLayer {
  readonly forward: number;
  /** Of the whole backward, and of the input gradient alone. */
  readonly backward: number;
  readonly input: number;
  readonly activation: number;
  readonly activationForWeight: number;
  /** Embeddings and heads are not counted, and stay. */
  readonly counted: boolean;
}

export interface StageOffload {
  /** Layers that are offloaded, as numbers of all layers. */
  readonly members: readonly number[];
  readonly bytes: number;
  /** Of these bytes, those that a weight gradient needs once the input gradient has run: they are on the device then. */
  readonly forWeight: number;
  /** Seconds of the copies in one direction. */
  readonly busy: number;
  /** Seconds by which the forward, the backward, and the input gradient alone take longer. */
  readonly forward: number;
  readonly backward: number;
  readonly input: number;
  /** Bytes on the device while an operation runs, beyond what stays. 0 if all layers are equal. */
  readonly passing: number;
}

/** Most layers of a stage that can be offloaded: the last counted one stays. */
export const mostOffloaded = (counted: number): number => Math.max(0, counted - 1);

/** `undefined` if no layer is offloaded. `wanted`: layers that should be. */
export function offloadStage(
  layers: readonly OffloadedLayer[],
  wanted: number,
  link: { readonly bandwidth: number; readonly latency: number },
): StageOffload | undefined {
  const counted = layers.flatMap((layer, index) => (layer.counted && layer.activation > 0 ? [index] : []));
  const away = Math.min(wanted, mostOffloaded(counted.length));
  if (away === 0) return undefined;
  const stay = counted.length - away;
  const members = counted.slice(0, away);
  const copies = members.map((index) => link.latency + layers[index].activation / link.bandwidth);
  const sum = (of: (layer: OffloadedLayer) => number) => members.reduce((all, index) => all + of(layers[index]), 0);
  const input = copiedBack(layers, counted, copies, stay, (layer) => layer.input);
  return {
    members,
    bytes: sum((layer) => layer.activation),
    forWeight: sum((layer) => layer.activationForWeight),
    busy: copies.reduce((all, seconds) => all + seconds, 0),
    forward: copiedOut(layers, counted, copies, stay),
    backward: copiedBack(layers, counted, copies, stay, (layer) => layer.backward),
    input,
    passing: passingBytes(layers, counted, away),
  };
}

/** Seconds for which layers of a forward wait until the copies of others have left. */
function copiedOut(
  layers: readonly OffloadedLayer[],
  counted: readonly number[],
  copies: readonly number[],
  stay: number,
): number {
  const ends: number[] = [];
  let [now, waited, number] = [0, 0, 0];
  for (const [index, { forward }] of layers.entries()) {
    const runs = counted[number] === index;
    const wait = runs ? Math.max(0, (ends[number - stay] ?? 0) - now) : 0;
    waited += wait;
    now += wait + forward;
    if (!runs) continue;
    if (number < copies.length) ends.push(Math.max(now, ends.at(-1) ?? 0) + copies[number]);
    number += 1;
  }
  return waited;
}

/** Seconds for which layers of a backward wait until their copies are back. */
function copiedBack(
  layers: readonly OffloadedLayer[],
  counted: readonly number[],
  copies: readonly number[],
  stay: number,
  secondsOf: (layer: OffloadedLayer) => number,
): number {
  const ends: number[] = [];
  let [now, waited, free] = [0, 0, 0];
  let number = counted.length - 1;
  for (let index = layers.length - 1; index >= 0; index -= 1) {
    const runs = counted[number] === index;
    const wait = runs ? Math.max(0, (ends[number] ?? 0) - now) : 0;
    waited += wait;
    now += wait + secondsOf(layers[index]);
    if (!runs) continue;
    const next = number - stay;
    if (next >= 0) {
      free = Math.max(now, free) + copies[next];
      ends[next] = free;
    }
    number -= 1;
  }
  return waited;
}

/**
 * The most bytes of offloaded layers that are on the device while a layer runs, less what layers behind it keep. In a forward these have not
 * run yet, in a backward they are done.
 */
function passingBytes(layers: readonly OffloadedLayer[], counted: readonly number[], away: number): number {
  const stay = counted.length - away;
  const members = new Set(counted.slice(0, away));
  let behind = layers.reduce((sum, { activation }, index) => (members.has(index) ? sum : sum + activation), 0);
  const before = [0];
  for (const member of counted) before.push(before[before.length - 1] + layers[member].activation);
  let number = -1;
  let most = 0;
  for (const [index, { activation }] of layers.entries()) {
    if (counted[number + 1] === index) number += 1;
    if (!members.has(index)) behind -= activation;
    const [from, to] = [Math.max(0, number - stay + 1), Math.min(number + 1, away)];
    most = Math.max(most, (to > from ? before[to] - before[from] : 0) - behind);
  }
  return most;
}
