import type { DeviceReport, MemoryByKind } from '../../engine/values/report.ts';
import type { Colours } from '../colours.ts';

/** Kinds of memory that lie within the capacity, in the order in which a bar stacks them. */
export const memoryKinds = [
  'weights',
  'gradients',
  'optimizer',
  'versions',
  'buffers',
  'activations',
  'workspace',
  'gradient_copies',
] as const satisfies readonly (keyof MemoryByKind)[];

type MemoryKind = (typeof memoryKinds)[number];
const full = '█';
const free = '░';

/**
 * The peak of a device against its capacity: `cells` characters are the capacity, so a peak above it fills the whole bar.
 * On a terminal the kinds have colours; a cell shows the kind at its middle.
 */
export function memoryBar(device: DeviceReport, cells: number, colours: Colours): string {
  const capacity = Math.max(device.capacity, 1);
  return Array.from({ length: cells }, (_, cell) => {
    const at = ((cell + 0.5) / cells) * capacity;
    const kind = kindAt(device.memory, at);
    return at < device.peak ? paint(kind, colours)(full) : colours.dim(free);
  }).join('');
}

function kindAt(memory: MemoryByKind, at: number): MemoryKind {
  let below = 0;
  for (const kind of memoryKinds) {
    below += memory[kind] ?? 0;
    if (at < below) return kind;
  }
  return 'activations';
}

function paint(kind: MemoryKind, colours: Colours): (text: string) => string {
  const by: Readonly<Record<MemoryKind, (text: string) => string>> = {
    weights: colours.blue,
    gradients: colours.cyan,
    optimizer: colours.magenta,
    versions: colours.yellow,
    buffers: colours.gray,
    activations: colours.green,
    workspace: colours.white,
    gradient_copies: colours.magenta,
  };
  return by[kind];
}
