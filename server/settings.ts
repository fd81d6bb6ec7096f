/** `pipewright.*` of the client's configuration as options of the engine. What is absent or no usable number keeps its default. */
import { defaultOptions, type EngineOptions } from '../engine/basics/host.ts';
import { findEngine } from '../engine/engines/registry.ts';

/**
 * Options if an editor sets none: the defaults of `package.json` for VS Code. A timeline that is simulated again at each
 * keystroke must be smaller than the largest that the command line accepts, and only an editor looks for shorter orders ahead.
 */
export const editorOptions: EngineOptions = {
  ...defaultOptions,
  limits: { ...defaultOptions.limits, operations: 4_000_000 },
  search: { effort: 1 },
};

/** `raw` is the value of the section `pipewright`, of any shape. Equal settings give the same object back, so that nothing is computed again. */
export function readSettings(raw: unknown, current: EngineOptions): EngineOptions {
  const next: EngineOptions = {
    limits: numbers(editorOptions.limits, at(raw, 'limits'), (value) => value >= 1),
    thresholds: {
      ...numbers(editorOptions.thresholds, at(raw, 'diagnostics'), (value) => value >= 0),
      ...headroomOf(at(raw, 'diagnostics')),
    },
    search: numbers(
      editorOptions.search,
      at(raw, 'search'),
      (value) => Number.isInteger(value) && value >= 0 && value <= 1000,
    ),
    memory: inBytes(
      numbers(inGibibytes(editorOptions.memory), at(raw, 'memory'), (value) => value >= 0 && value <= 1024),
    ),
  };
  const engine = findEngine(String(at(raw, 'engine')));
  const named = engine === undefined ? next : { ...next, engine: engine.name };
  return JSON.stringify(named) === JSON.stringify(current) ? current : named;
}

/** Nothing if it is left to the kind of the run. */
function headroomOf(raw: unknown): Pick<EngineOptions['thresholds'], 'headroom'> {
  const headroom = at(raw, 'headroom');
  return typeof headroom === 'number' && headroom >= 0 && headroom <= 1 ? { headroom } : {};
}

/** Sizes are set in GiB. */
const gibibyte = 2 ** 30;
const inGibibytes = (sizes: EngineOptions['memory']) => scaled(sizes, 1 / gibibyte);
const inBytes = (sizes: EngineOptions['memory']) => scaled(sizes, gibibyte);
const scaled = ({ context, communicator, reservedMost }: EngineOptions['memory'], by: number) => ({
  context: context * by,
  communicator: communicator * by,
  reservedMost: reservedMost * by,
});

function numbers<T extends { readonly [Key in keyof T]: number }>(
  defaults: T,
  raw: unknown,
  usable: (value: number) => boolean,
): T {
  const read = Object.entries(defaults).map(([key, standard]) => {
    const value = at(raw, key);
    return [key, typeof value === 'number' && Number.isFinite(value) && usable(value) ? value : standard];
  });
  return Object.fromEntries(read) as T;
}

/** A member of something of unknown shape. */
export const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
