/** Reads a layer graph of msr-fiddle/dnn-partitioning (JSON), with forward and backward nodes, milliseconds and bytes. */
import { orderByNeed } from '../../basics/ordering.ts';
import { cycleFault } from '../cycle.ts';
import { mostTextFaults, type TextFault } from '../fault.ts';
import { readJson } from '../json/read.ts';
import { describeJson, type JsonValue } from '../json/value.ts';
import type { MeasuredLayer } from '../measured.ts';
import { validNames } from '../names.ts';

type Members = JsonValue & { readonly kind: 'object' };
interface Node {
  readonly id: number;
  readonly name: string;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly color: number | undefined;
  readonly backward: boolean;
  readonly place: { readonly start: number; readonly end: number };
}
type Tell = (place: { readonly start: number; readonly end: number }, message: string) => void;

export const isDnnPartitioning = (text: string): boolean => /^\s*\{/.test(text) && text.includes('"fpgaLatency"');

/**
 * Layers are the forward nodes; the backward node of the same colour class gives the backward. `size` of a node is its weights and its
 * output together (the input files are PipeDream profiles made so), and `size` of an edge is the output.
 */
export function readDnnPartitioning(
  text: string,
):
  | { readonly layers: readonly MeasuredLayer[]; readonly remarks: readonly string[] }
  | { readonly faults: readonly TextFault[] } {
  const json = readJson(text);
  if ('fault' in json) return { faults: [json.fault] };
  const faults: TextFault[] = [];
  const tell: Tell = ({ start, end }, message) =>
    void (faults.length < mostTextFaults && faults.push({ start, end, message }));
  const nodes = items(json, 'nodes', tell).flatMap((item) => readNode(item, tell) ?? []);
  const forward = nodes.filter((node) => !node.backward);
  const numbers = new Map<number, number>();
  for (const [index, { id }] of forward.entries()) numbers.set(id, index);
  const known = new Map<number, Node>();
  for (const node of nodes) {
    if (known.has(node.id)) tell(node.place, 'This node is defined a second time here.');
    known.set(node.id, node);
  }
  if (forward.length === 0 && faults.length === 0) tell(json, 'The file has no forward nodes.');
  const partners = partnersOf(nodes, forward, tell);
  const needs = forward.map((): number[] => []);
  const outputs = new Map<number, number>();
  for (const edge of items(json, 'edges', tell)) {
    const [source, target] = [number(edge, 'sourceId', tell), number(edge, 'destId', tell)];
    const size = number(edge, 'size', tell);
    if (source === undefined || target === undefined || size === undefined) continue;
    const gone = [source, target].find((id) => !known.has(id));
    if (gone !== undefined) tell(edge, 'This edge starts or ends at a node that the file does not define.');
    const [from, to] = [numbers.get(source), numbers.get(target)];
    if (from !== undefined) outputs.set(from, size);
    if (from !== undefined && to !== undefined) needs[to].push(from);
    // What a last node puts out is told by the edge into its backward node alone.
    const partner = from === undefined ? partners.get(target) : undefined;
    if (partner !== undefined && !outputs.has(partner)) outputs.set(partner, size);
  }
  if (faults.length > 0) return { faults: [...faults].sort((a, b) => a.start - b.start) };
  const { order, circles } = orderByNeed(forward.length, (index) => needs[index]);
  if (circles.length > 0) {
    const places = circles[0].map((member) => forward[member].place);
    return { faults: [cycleFault(text, places)] };
  }
  const backwards = new Float64Array(forward.length);
  for (const node of nodes) {
    const partner = node.backward ? partners.get(node.id) : undefined;
    if (partner !== undefined) backwards[partner] += node.milliseconds;
  }
  const position = new Map(order.map((value, index) => [value, index]));
  const names = validNames(order.map((index) => forward[index].name));
  const layers = order.map((at, index): MeasuredLayer => {
    const { milliseconds, bytes, place } = forward[at];
    const output = outputs.get(at) ?? 0;
    const activation = Math.min(bytes, output);
    return {
      ...{ name: names[index], description: '', forward: milliseconds / 1000, backward: backwards[at] / 1000 },
      ...{ weights: bytes - activation, activation, output },
      after: [...new Set(needs[at])].flatMap((other) => position.get(other) ?? []),
      start: place.start,
      end: place.end,
    };
  });
  const inference = forward.length === nodes.length;
  return { layers, remarks: inference ? ['The file has no backward nodes: every backward takes no time.'] : [] };
}

/** For each backward node, by id, the number of its forward node. */
function partnersOf(nodes: readonly Node[], forward: readonly Node[], tell: Tell): ReadonlyMap<number, number> {
  const byColor = new Map<number, number[]>();
  for (const [index, { color }] of forward.entries())
    if (color !== undefined) byColor.set(color, [...(byColor.get(color) ?? []), index]);
  const partners = new Map<number, number>();
  for (const node of nodes) {
    if (!node.backward) continue;
    const alike = node.color === undefined ? [] : (byColor.get(node.color) ?? []);
    if (alike.length === 1) partners.set(node.id, alike[0]);
    else
      tell(
        node.place,
        `This backward node has ${alike.length === 0 ? 'no' : 'several'} forward nodes in its colour class: it needs exactly one.`,
      );
  }
  return partners;
}

function readNode(value: Members, tell: Tell): Node | undefined {
  const [id, milliseconds, bytes] = [
    number(value, 'id', tell),
    number(value, 'fpgaLatency', tell),
    number(value, 'size', tell, 0),
  ];
  const color = number(value, 'colorClass', tell, -1);
  if (number(value, 'supportedOnFpga', tell, 1) === 0)
    tell(value, 'This node runs on a CPU only: a pipeline has no device for it.');
  if (id === undefined || milliseconds === undefined || bytes === undefined) return undefined;
  const name = value.members.get('name')?.value;
  return {
    ...{ id, milliseconds, bytes, place: { start: value.start, end: value.end } },
    name: name?.kind === 'string' && name.value !== '' ? name.value : `node${id}`,
    color: color === undefined || color < 0 ? undefined : color,
    backward: number(value, 'isBackwardNode', tell, 0) === 1,
  };
}

function items(json: JsonValue, name: string, tell: Tell): readonly Members[] {
  const list = json.kind === 'object' ? json.members.get(name)?.value : undefined;
  if (list?.kind !== 'array') {
    tell(list ?? json, `The file needs \`${name}\`, a list.`);
    return [];
  }
  return list.items.flatMap((item) => {
    if (item.kind === 'object') return [item];
    tell(item, `Expected an object in \`${name}\`, found ${describeJson(item)}.`);
    return [];
  });
}

/** A number that is not negative, `true` as 1; `otherwise` where it is not there, and then a fault without it. */
function number(value: Members, name: string, tell: Tell, otherwise?: number): number | undefined {
  const found = value.members.get(name)?.value;
  if (found === undefined) {
    if (otherwise === undefined) tell(value, `\`${name}\` is missing.`);
    return otherwise;
  }
  if (found.kind === 'boolean') return found.value ? 1 : 0;
  if (found.kind === 'number' && found.value >= 0) return found.value;
  tell(found, `\`${name}\` must be a number that is not negative.`);
  return undefined;
}
