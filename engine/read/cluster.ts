/** Reads a `cluster`: first as written (a template, nodes folded), then spread out within the limit on devices. */
import type {
  ClusterDefinition,
  ClusterDevice,
  ClusterGroup,
  DeviceSet,
  HostDefinition,
  LinkDefinition,
  NamedLink,
} from '../definitions/cluster.ts';
import type { DeviceDefinition } from '../definitions/device.ts';
import type { Block, BlockDeclaration, Entry, Span } from '../../grammar/syntax.ts';
import { detail, symbolId } from '../language/context.ts';
import type { ReadContext } from './context.ts';
import { evaluate, wholeNumber } from '../language/expressions.ts';
import { missing, readKeys, readQuantity, valueOf } from '../language/keys.ts';
import { count } from '../basics/quantities.ts';
import { wholeRange, type LinkValue } from '../language/values.ts';
import { readEnd } from './deviceSet.ts';
import { readLink } from './link.ts';
import { readSwitch, type Switch } from './switch.ts';

interface Template {
  readonly parts: readonly Part[];
  /** Devices of one of it, nodes spread out; groups and switches likewise, in one number. */
  readonly devices: number;
  readonly groups: number;
  readonly link?: LinkDefinition;
  readonly host?: HostDefinition;
  readonly named: readonly {
    readonly from: DeviceSet;
    readonly to: DeviceSet;
    readonly link: LinkDefinition;
    readonly at: Span;
  }[];
  readonly switches: readonly Switch[];
}
type Part =
  | { readonly kind: 'gpu'; readonly count: number; readonly device: DeviceDefinition; readonly entry: Entry }
  | { readonly kind: 'node'; readonly count: number; readonly template: Template };

/** Reads a `cluster` declaration; nothing is defined where a part of it is wrong. */
export function readCluster(context: ReadContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const at = block.name ?? block.keyword;
  const links = { next: 0 };
  const template = readTemplate(context, block.body, 'cluster', at, links);
  if (template === undefined || block.name === undefined || context.report.errors() !== before) return;
  const name = block.name.text;
  if (template.devices === 0) return missing(context, 'cluster', 'gpu', at);
  const make = () => spread(context, name, template, links.next > 0);
  // What is wrong in a file of one's own is told whether anybody uses the cluster or not; standard ones have no mistakes.
  const checked = context.uri.startsWith('std:') ? undefined : { cluster: make() };
  if (checked !== undefined && checked.cluster === undefined) return;
  const cluster = () => (checked === undefined ? standardCluster(context, name, template, make) : checked.cluster);
  const id = symbolId('cluster', name);
  context.clusters.set(id, cluster);
  const kinds = new Map<string, number>();
  countKinds(template, 1, kinds);
  const inNodes = template.parts.reduce((sum, part) => sum + (part.kind === 'node' ? part.count : 0), 0);
  const nodes = inNodes === 0 ? '' : ` in ${count(inNodes, 'node', 'nodes')}`;
  detail(context, id, `${[...kinds].map(([kind, number]) => `${number} × ${kind}`).join(', ')}${nodes}`);
}

/** Standard clusters by name and size: their text never changes, and the routes between their devices are kept with them. */
const standard = new Map<string, ClusterDefinition>();
const mostStandard = 8;

function standardCluster(
  { uri, options }: ReadContext,
  name: string,
  { devices }: Template,
  make: () => ClusterDefinition | undefined,
): ClusterDefinition | undefined {
  const key = `${uri} ${name} ${devices} ${options.limits.elements}`;
  const known = standard.get(key) ?? make();
  if (known === undefined) return undefined;
  standard.delete(key);
  standard.set(key, known);
  for (const oldest of standard.keys()) if (standard.size > mostStandard) standard.delete(oldest);
  return known;
}

function countKinds({ parts }: Template, times: number, kinds: Map<string, number>): void {
  for (const part of parts) {
    if (part.kind === 'node') countKinds(part.template, times * part.count, kinds);
    else kinds.set(part.device.name, (kinds.get(part.device.name) ?? 0) + times * part.count);
  }
}

/** What a group says of its host. */
const hostKeys: readonly string[] = ['hosts', 'host_memory', 'host_bandwidth'];

function readTemplate(
  context: ReadContext,
  body: Block | undefined,
  name: 'cluster' | 'node',
  at: Span,
  links: { next: number },
): Template | undefined {
  const keys = readKeys(context, name, body, at);
  const parts: Part[] = [];
  const named: Template['named'][number][] = [];
  const switches: Switch[] = [];
  let link: LinkDefinition | undefined;
  let defaultEntry: Entry | undefined;
  let [devices, groups, wrong] = [0, 1, keys.doubtful];
  const numbered = (written: LinkValue, entry: Entry): LinkDefinition => {
    const id = links.next;
    links.next += 1;
    return { ...written, id, place: context.report.place(entry) };
  };
  const [hosts, memory, bandwidth] = hostKeys.map((key) => readQuantity(context, keys, key));
  if ([hosts, memory, bandwidth].some(({ is }) => is === 'wrong')) wrong = true;
  const host = {
    ...(hosts.is === 'value' ? { hosts: hosts.value } : {}),
    ...(memory.is === 'value' ? { memory: memory.value } : {}),
    ...(bandwidth.is === 'value' ? { bandwidth: bandwidth.value } : {}),
  };
  for (const entry of keys.entries) {
    if (hostKeys.includes(entry.key.text)) continue;
    if (entry.key.text === 'switch') {
      const found = readSwitch(context, entry);
      if (found === undefined) wrong = true;
      else {
        switches.push(found);
        groups += 1;
        if (tooLarge(context, entry, devices, groups)) return undefined;
        if (found.ports !== undefined) {
          const port = numbered(found.ports.link, entry);
          named.push({ from: found.ports.devices, to: found.end, link: port, at: entry });
        }
      }
      continue;
    }
    const part = entry.key.text === 'link' ? undefined : readPart(context, entry, devices, links);
    if (part !== undefined) {
      parts.push(part);
      devices += part.count * (part.kind === 'gpu' ? 1 : part.template.devices);
      groups += part.kind === 'gpu' ? 0 : part.count * part.template.groups;
      if (tooLarge(context, entry, devices, groups)) return undefined;
      continue;
    }
    if (entry.key.text !== 'link') {
      wrong = true;
      continue;
    }
    const value = valueOf(entry);
    const written = value === undefined ? undefined : readLink(context, value);
    if (written === undefined) {
      wrong = true;
      continue;
    }
    const definition = numbered(written, entry);
    if (entry.ends !== undefined) {
      const [from, to] = entry.ends.map((end) => readEnd(context, end));
      if (from === undefined || to === undefined) wrong = true;
      else named.push({ from, to, link: definition, at: entry });
    } else if (defaultEntry === undefined) {
      defaultEntry = entry;
      link = definition;
    } else {
      const related = [{ place: context.report.place(defaultEntry.key), message: 'This one is used.' }];
      context.report.report(
        'key/duplicate',
        entry.key,
        { key: 'link', block: name },
        { related, hint: { kind: 'remove' } },
      );
    }
  }
  if (hosts.is === 'value' && devices % hosts.value !== 0) {
    unevenHosts(context, keys.entries, hosts.value, devices);
    return undefined;
  }
  return wrong
    ? undefined
    : { parts, devices, groups, link, named, switches, ...(Object.keys(host).length > 0 ? { host } : {}) };
}

function unevenHosts(context: ReadContext, entries: readonly Entry[], hosts: number, devices: number): void {
  const entry = entries.find(({ key }) => key.text === 'hosts');
  if (entry === undefined) return;
  context.report.report('value/range', valueOf(entry) ?? entry.key, {
    what: 'The number of hosts',
    value: String(hosts),
    allowed: `a number that divides ${devices}, the devices that they share`,
  });
}

function tooLarge(context: ReadContext, at: Span, devices: number, groups: number): boolean {
  const { elements } = context.options.limits;
  if (devices <= elements && groups <= elements) return false;
  context.report.report('limit/too-large', at, {
    what: 'Devices, nodes and switches of a cluster',
    figure: Math.max(devices, groups).toLocaleString('en-US'),
    limit: elements.toLocaleString('en-US'),
    setting: 'pipewright.limits.elements',
  });
  return true;
}

function readPart(context: ReadContext, entry: Entry, devices: number, links: { next: number }): Part | undefined {
  const index = entry.index?.[0];
  if (index === undefined || index.kind === 'missing') return undefined;
  if (entry.key.text === 'node') {
    const number = wholeNumber(context, index, 'The number of nodes', { min: 1 });
    const template = readTemplate(context, entry.body, 'node', entry.key, links);
    return number === undefined || template === undefined ? undefined : { kind: 'node', count: number, template };
  }
  const number = readCount(context, entry, devices);
  const value = valueOf(entry);
  const symbol = value?.kind === 'name' ? context.links.get(value) : undefined;
  if (value !== undefined && value.kind !== 'name') {
    const found = evaluate(context, value);
    if (found !== undefined) context.report.report('type/mismatch', value, { expected: 'a device', found: 'a value' });
  }
  const device = symbol === undefined ? undefined : context.devices.get(symbol);
  return number === undefined || device === undefined ? undefined : { kind: 'gpu', count: number, device, entry };
}

/** `gpu[0] = …` is written by who names each device. */
function firstAlone(context: ReadContext, entry: Entry, index: Span): undefined {
  const value = valueOf(entry);
  const device =
    value === undefined ? '…' : context.syntax.text.slice(value.start, Math.min(value.end, value.start + 40));
  context.report.report('value/range', index, {
    what: 'The number of devices',
    value: '0',
    allowed: `at least 1, since \`gpu[n] = ${device}\` adds n devices; for the first device alone write \`gpu[0..0] = ${device}\``,
  });
  return undefined;
}

/** `gpu[n]` adds n; `gpu[a..b]` names the next ones, so `a` must be the number reached. */
function readCount(context: ReadContext, entry: Entry, devices: number): number | undefined {
  const index = entry.index?.[0];
  if (index === undefined) return undefined;
  if (index.kind === 'quantity' && index.unit === '' && index.value === 0) return firstAlone(context, entry, index);
  if (index.kind !== 'range') return wholeNumber(context, index, 'The number of devices', { min: 1 });
  const value = evaluate(context, index);
  if (value === undefined || value.kind !== 'range') return undefined;
  const range = wholeRange(value);
  if (range === undefined || range.last < range.first) {
    context.report.report('type/mismatch', index, {
      expected: 'a range of whole numbers such as `0..3`',
      found: `\`${context.syntax.text.slice(index.start, index.end)}\``,
    });
    return undefined;
  }
  if (range.first === devices) return range.last - range.first + 1;
  context.report.report('value/range', index, {
    what: 'The first device of the range',
    value: String(range.first),
    allowed: `${devices}, the next number`,
  });
  return undefined;
}

function spread(
  context: ReadContext,
  name: string,
  template: Template,
  linked: boolean,
): ClusterDefinition | undefined {
  const devices: ClusterDevice[] = [];
  const groups: ClusterGroup[] = [];
  const children: number[][] = [];
  const templates: Template[] = [];
  const grow = (node: Template, parent: number, prefix: string, depth: number): number => {
    const group = groups.length;
    const first = devices.length;
    groups.push({ parent, depth, first, end: first, link: node.link, ...(node.host ? { host: node.host } : {}) });
    children.push([]);
    templates.push(node);
    let nodes = 0;
    for (const part of node.parts) {
      if (part.kind === 'gpu') {
        const place = context.report.place(part.entry);
        for (let i = 0; i < part.count; i += 1) {
          devices.push({ name: `${prefix}gpu[${devices.length - first}]`, kind: part.device, group, place });
        }
        continue;
      }
      for (let i = 0; i < part.count; i += 1) {
        children[group].push(grow(part.template, group, `${prefix}node[${nodes}].`, depth + 1));
        nodes += 1;
      }
    }
    groups[group] = { ...groups[group], end: devices.length };
    return group;
  };
  grow(template, -1, '', 0);
  let vertices = devices.length;
  for (const [group, node] of templates.entries()) {
    if (node.switches.length === 0) continue;
    groups[group] = { ...groups[group], switches: new Map(node.switches.map(({ symbol }) => [symbol, vertices++])) };
  }
  const named = new Map<number, Map<number, NamedLink>>();
  const budget = { pairs: pairsOf(context) };
  for (const [group, node] of templates.entries()) {
    for (const link of node.named)
      if (!join(context, link, groups, group, children[group], named, budget)) return undefined;
  }
  return { name, devices, groups, nodes: children[0], named, linkless: !linked };
}

/** A device on two switches has two links: more pairs than devices are common. */
const pairsOf = ({ options }: ReadContext): number => 4 * options.limits.elements;

/** Adds the pairs of one named link; false where an end is wrong or there are too many pairs. */
function join(
  context: ReadContext,
  { from, to, link, at }: Template['named'][number],
  groups: readonly ClusterGroup[],
  group: number,
  nodes: readonly number[],
  named: Map<number, Map<number, NamedLink>>,
  budget: { pairs: number },
): boolean {
  const left = from.devices(context.report, groups, group, nodes);
  const right = to.devices(context.report, groups, group, nodes);
  if (left === undefined || right === undefined) return false;
  budget.pairs -= left.length * right.length;
  if (budget.pairs < 0) {
    const limit = pairsOf(context);
    context.report.report('limit/too-large', at, {
      what: 'Pairs of devices with a separate link',
      figure: (limit - budget.pairs).toLocaleString('en-US'),
      limit: limit.toLocaleString('en-US'),
      setting: 'pipewright.limits.elements',
    });
    return false;
  }
  for (const a of left) {
    for (const b of right) {
      if (a === b) continue;
      for (const [x, y] of [
        [a, b],
        [b, a],
      ]) {
        const links = named.get(x) ?? new Map<number, NamedLink>();
        if (!links.has(y)) links.set(y, { link, group });
        named.set(x, links);
      }
    }
  }
  return true;
}
