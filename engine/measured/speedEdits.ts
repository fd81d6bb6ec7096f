/** Edits that give the devices of slow ranks their speed. A rank that shares its line of the cluster gets a separate line. */
import type { BlockDeclaration, Entry, SyntaxFile } from '../../grammar/index.ts';
import { blockOf, entriesOf, named } from './blocks.ts';
import type { Edit } from './edit.ts';
import { type SlowRank, slowness } from './slowRank.ts';

export function speedEdits(
  file: SyntaxFile,
  cluster: BlockDeclaration | undefined,
  ranks: number,
  slow: readonly SlowRank[],
): { readonly edits: readonly Edit[] } | { readonly problem: string } {
  // A rank of several devices may have any of them slow.
  const written = linesOf(cluster);
  const lines = written.at(-1)?.last === ranks - 1 ? written : [];
  const edits: Edit[] = [];
  const devices: string[] = [];
  const parts = new Map<Line, Map<number, string>>();
  for (const rank of slow) {
    const number = Number(/^gpu\[(\d+)\]$/.exec(rank.name)?.[1] ?? Number.NaN);
    const line = lines.find(({ first, last }) => first <= number && number <= last);
    const speed = line === undefined ? undefined : speedOf(file, line.device);
    const name = `slow_gpu_${number}`;
    if (line === undefined || speed === undefined || file.tokens.some(({ text }) => text === name))
      return {
        problem: `${slowness(rank)} If it is the device, or a program that shares it, give that rank a device with \`speed = ${rank.speed}\`, and calibrate again. If its layers are slow, say --slow-layers`,
      };
    const own = Number((speed * rank.speed).toPrecision(6));
    devices.push(`device ${name} { from = ${line.device}  speed = ${own} }\n`);
    parts.set(line, (parts.get(line) ?? new Map<number, string>()).set(number, name));
  }
  for (const [{ entry, first, last, device }, names] of parts)
    edits.push({ start: entry.start, end: entry.end, text: apart(first, last, device, names) });
  if (cluster !== undefined && devices.length > 0)
    edits.push({ start: cluster.start, end: cluster.start, text: devices.join('') });
  return { edits };
}

interface Line {
  readonly entry: Entry;
  readonly first: number;
  readonly last: number;
  readonly device: string;
}

/** Lines `gpu[4] = d` and `gpu[0..3] = d` of a cluster without nodes; none if a number of devices is not written out. */
function linesOf(cluster: BlockDeclaration | undefined): readonly Line[] {
  if (cluster === undefined || entriesOf(cluster, 'node').length > 0) return [];
  const lines: Line[] = [];
  let first = 0;
  for (const entry of entriesOf(cluster, 'gpu')) {
    const [index] = entry.index ?? [];
    const [value] = entry.values ?? [];
    const end = index?.kind === 'range' && !index.exclusive && index.step === undefined ? index.to : index;
    if (index === undefined || end?.kind !== 'quantity' || end.unit !== '' || value?.kind !== 'name') return [];
    const last = index.kind === 'range' ? end.value : first + end.value - 1;
    lines.push({ entry, first, last, device: value.text });
    first = last + 1;
  }
  return lines;
}

/** What the file says of a device's speed; undefined if another file may say it. */
function speedOf(file: SyntaxFile, device: string, seen: readonly string[] = []): number | undefined {
  const block = seen.includes(device) ? undefined : blockOf(file, 'device', device);
  if (block === undefined) {
    // No device of the library has a speed.
    const imports = file.declarations.filter((one) => one.kind === 'import');
    return imports.length > 0 && imports.every(({ path }) => path?.value === 'std:hardware') ? 1 : undefined;
  }
  const [written] = entriesOf(block, 'speed');
  if (written !== undefined) {
    const value = written.values?.[0];
    return value?.kind === 'quantity' && value.unit === '' ? value.value : undefined;
  }
  if (entriesOf(block, 'from').length === 0) return 1;
  const from = named(block, 'from');
  return from === undefined ? undefined : speedOf(file, from, [...seen, device]);
}

/** Lines that name devices one after another: equal neighbours on one line. */
function apart(first: number, last: number, device: string, names: ReadonlyMap<number, string>): string {
  const lines: string[] = [];
  let from = first;
  for (const at of [...[...names.keys()].toSorted((a, b) => a - b), last + 1]) {
    if (from < at) lines.push(`gpu[${from}..${at - 1}] = ${device}`);
    const name = names.get(at);
    if (name !== undefined) lines.push(`gpu[${at}..${at}] = ${name}`);
    from = at + 1;
  }
  return lines.join('\n  ');
}
