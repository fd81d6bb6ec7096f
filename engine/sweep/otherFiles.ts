/** Files with another cluster or another model than the one that is searched, with which a row may fit. */
import { parse } from '../../grammar/index.ts';
import { count } from '../basics/quantities.ts';
import { packedWeights } from '../fixes/adapters.ts';
import { setNodesOf } from '../fixes/nodeCount.ts';
import { apply, type Edit } from '../fixes/proposal.ts';
import { entriesOf, pipelineBody, setKey, valueOf } from '../fixes/source.ts';
import type { SweepBase, SweepFile } from './base.ts';

export interface OtherFile {
  /** `16 nodes`. */
  readonly change: string;
  /** The same change with fewer or more keys: the first that plans is meant. */
  readonly files: readonly SweepFile[];
}

const mostNodes = 2048;
/** Devices of a cluster without nodes. */
const mostDevices = 64;

/** Frozen weights in 4 bits, if adapters train next to weights in 16. */
export function* withPackedWeights({ file, body, syntax }: SweepBase): Generator<OtherFile, void, void> {
  const named = valueOf(body, 'model');
  const edit =
    named === undefined ? undefined : packedWeights(parse(file.text), syntax.text.slice(named.start, named.end));
  if (edit !== undefined)
    yield { change: 'frozen weights as nf4', files: [{ ...file, text: apply(file.text, [edit]) }] };
}

/** Twice the nodes, and so on; of a cluster without nodes its devices. Nothing where their number cannot be written. */
export function* withMoreNodes({ file, pipeline, body, syntax, size, resolution }: SweepBase) {
  const named = valueOf(body, 'devices');
  const name = named === undefined ? '' : syntax.text.slice(named.start, named.end);
  const cluster = [...resolution.symbols.symbols.values()].find(
    (symbol) => symbol.kind === 'cluster' && symbol.name === name,
  );
  if (cluster === undefined) return;
  const setNodes = setNodesOf(parse(file.text), cluster);
  const setDevices = setNodes === undefined ? setDevicesOf(file.text, name) : undefined;
  for (let factor = 2; ; factor *= 2) {
    const devices = factor * size.devices;
    const nodes = devices / size.perNode;
    const edit = nodes <= mostNodes ? setNodes?.(nodes) : undefined;
    const other = devices <= mostDevices ? setDevices?.(devices) : undefined;
    const written = edit ?? other;
    if (written === undefined) return;
    const text = apply(file.text, [written]);
    // The ranks of the file have to make up the devices: the rows have others.
    const wider = pipelineBody(parse(text), pipeline);
    const data = wider === undefined ? undefined : setKey(text, wider, 'data', String(size.mesh.data * factor));
    const files: readonly SweepFile[] = [
      { ...file, text },
      ...(data === undefined ? [] : [{ ...file, text: apply(text, [data]) }]),
    ];
    yield { change: edit === undefined ? count(devices, 'device', 'devices') : `${nodes} nodes`, files };
  }
}

/** Of a cluster of the file with one kind of devices and no nodes, whose number is plain. */
function setDevicesOf(text: string, name: string): ((devices: number) => Edit) | undefined {
  for (const each of parse(text).declarations) {
    if (each.kind !== 'block' || each.keyword.text !== 'cluster' || each.name?.text !== name) continue;
    if (each.body === undefined || entriesOf(each.body, 'node').length > 0) return undefined;
    const arrays = each.body.entries.flatMap((entry) =>
      entry.kind === 'entry' && entry.index !== undefined ? [entry.index] : [],
    );
    const [number] = arrays[0] ?? [];
    if (arrays.length !== 1 || number?.kind !== 'quantity') return undefined;
    return (devices) => ({ start: number.start, end: number.end, text: String(devices) });
  }
  return undefined;
}
