/** Keys of a training configuration by their path, which are asked for; the others are what an import did not use. */
import { clipped, mostTextFaults, type TextFault } from '../fault.ts';
import { describeJson, type JsonValue } from '../json/value.ts';

/** `parallelism.tensor_parallel_degree`. */
type Path = string;

export interface Keys {
  readonly faults: readonly TextFault[];
  /** Whether the key has a value; null and `auto`, which a launcher fills in, are none. */
  has(path: Path): boolean;
  /** A whole number from `least` (default: 1) to `most` (default: 2^30); undefined where it is absent, or is something else, which is a fault. */
  whole(path: Path, range?: { readonly least?: number; readonly most?: number }): number | undefined;
  number(path: Path): number | undefined;
  flag(path: Path): boolean | undefined;
  word(path: Path): string | undefined;
  words(path: Path): readonly string[];
  /** A switch, or the word for a kind of what it switches on. */
  choice(path: Path): boolean | string | undefined;
  /** The names of the keys in a table. */
  names(path: Path): readonly string[];
  /** The list in a key, or its only value, as a text of Python or a table has it. */
  list(path: Path): readonly JsonValue[];
  /** The value of a key, or the start of the file. */
  place(path: Path): { readonly start: number; readonly end: number };
  /** What was asked for is not used after all. */
  leave(...paths: readonly Path[]): void;
  /** Reports something at the value of a key, or at the start of the file. */
  fault(path: Path, message: string): void;
  /** Keys with a value that nobody asked for, in the order of the file. */
  unused(): readonly Path[];
  /** Whether a key is written as null. */
  isNone(path: Path): boolean;
  /** Whether a key has no value, or false, 0, or nothing in it. */
  isOff(path: Path): boolean;
  /** Keys that were asked for and are `auto`. */
  readonly automatic: ReadonlySet<Path>;
}

const yes: ReadonlySet<string> = new Set(['true', 'yes', 'on']);
const no: ReadonlySet<string> = new Set(['false', 'no', 'off']);

/** `500_000`, a number for YAML 1.1, which Python reads. */
const grouped = (value: JsonValue): number | undefined =>
  value.kind === 'string' && /^\d{1,3}(?:_\d{3}){1,5}$/.test(value.value)
    ? Number(value.value.replaceAll('_', ''))
    : undefined;

const isOff = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value.kind === 'null' ||
  (value.kind === 'array' && value.items.length === 0) ||
  (value.kind === 'object' && value.members.size === 0) ||
  ('value' in value && !value.value);

/** Deeper keys are none of a configuration. */
const deepest = 12;

export function keysOf(root: JsonValue): Keys {
  const faults: TextFault[] = [];
  const asked = new Set<Path>();
  const left = new Set<Path>();
  const automatic = new Set<Path>();
  const written = (path: Path): JsonValue | undefined => {
    let value: JsonValue | undefined = root;
    for (const name of path.split('.')) {
      if (value?.kind !== 'object') return undefined;
      value = value.members.get(name)?.value;
    }
    return value;
  };
  const at = (path: Path): JsonValue | undefined => {
    const value = written(path);
    return value?.kind === 'null' ? undefined : value;
  };
  const ask = (path: Path): JsonValue | undefined => {
    asked.add(path);
    const value = at(path);
    if (value?.kind !== 'string' || value.value !== 'auto') return value;
    automatic.add(path);
    return undefined;
  };
  const tell = (place: { readonly start: number; readonly end: number }, message: string): void => {
    if (faults.length < mostTextFaults && !faults.some((one) => one.start === place.start && one.message === message))
      faults.push({ start: place.start, end: place.end, message });
  };
  const wrong = (path: Path, expected: string, value: JsonValue, kind: JsonValue['kind']): undefined => {
    const found = value.kind === kind ? '' : `, found ${describeJson(value)}`;
    tell(value, `\`${path}\` must be ${expected}${found}.`);
    return undefined;
  };
  return {
    faults,
    automatic,
    has: (path) => ask(path) !== undefined,
    whole(path, { least = 1, most = 2 ** 30 } = {}) {
      const value = ask(path);
      if (value === undefined) return undefined;
      const figure = value.kind === 'number' ? value.value : grouped(value);
      if (figure !== undefined && Number.isInteger(figure) && figure >= least && figure <= most) return figure;
      return wrong(path, `a whole number from ${least} to ${most}`, value, 'number');
    },
    number(path) {
      const value = ask(path);
      if (value === undefined || value.kind === 'number') return value?.value;
      return wrong(path, 'a number', value, 'number');
    },
    flag(path) {
      const value = ask(path);
      if (value === undefined || value.kind === 'boolean') return value?.value;
      const text = value.kind === 'string' ? value.value.toLowerCase() : '';
      if (yes.has(text)) return true;
      return no.has(text) ? false : wrong(path, 'true or false', value, 'boolean');
    },
    word(path) {
      const value = ask(path);
      if (value === undefined || value.kind === 'string') return value?.value;
      return wrong(path, 'a text', value, 'string');
    },
    words(path) {
      const value = ask(path);
      if (value === undefined) return [];
      if (value.kind === 'string') return [value.value];
      if (value.kind !== 'array') return wrong(path, 'a list', value, 'array') ?? [];
      return value.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
    },
    choice(path) {
      const value = ask(path);
      if (value === undefined || value.kind === 'boolean') return value?.value;
      if (value.kind !== 'string') return wrong(path, 'true, false or a word', value, 'boolean');
      const text = value.value.toLowerCase();
      return yes.has(text) ? true : no.has(text) ? false : value.value;
    },
    names(path) {
      const value = at(path);
      return value?.kind === 'object' ? [...value.members.keys()] : [];
    },
    list(path) {
      const value = ask(path);
      return value === undefined ? [] : value.kind === 'array' ? value.items : [value];
    },
    place: (path) => at(path) ?? { start: 0, end: 1 },
    leave(...paths) {
      for (const path of paths) left.add(path);
    },
    fault: (path, message) => tell(at(path) ?? { start: 0, end: 1 }, message),
    unused: () => unusedIn(root, '', 0, (path) => asked.has(path) && !left.has(path)),
    isNone: (path) => written(path)?.kind === 'null',
    isOff: (path) => isOff(at(path)),
  };
}

function unusedIn(value: JsonValue, path: Path, depth: number, isUsed: (path: Path) => boolean): readonly Path[] {
  if (value.kind === 'null' || (path !== '' && isUsed(path))) return [];
  if (value.kind !== 'object' || depth > deepest) return [path];
  return [...value.members].flatMap(([name, member]) =>
    unusedIn(member.value, path === '' ? name : `${path}.${name}`, depth + 1, isUsed),
  );
}

/** A key as a comment repeats it: whatever the file holds, one short word. */
const shownKey = (path: Path): string => clipped(path.replace(/[^\w.-]/g, '?'), 60);

/** Most keys that one sentence lists. */
const mostListed = 40;

/** The sentence about what an import did not use, of keys that may change time or memory. */
export function unusedRemarks(keys: Keys, isIrrelevant: (path: string) => boolean): readonly string[] {
  const listed = keys
    .unused()
    .filter((path) => !keys.isOff(path))
    .filter((path) => !isIrrelevant(path));
  const filled = [...keys.automatic].filter((path) => !isIrrelevant(path)).map(shownKey);
  const more = listed.length > mostListed ? ` and ${listed.length - mostListed} more` : '';
  return [
    ...(filled.length === 0 ? [] : [`Filled in by a launcher (auto), so not known here: ${filled.join(', ')}.`]),
    ...(listed.length === 0
      ? []
      : [
          `Not used, though they may change time or memory: ${listed.slice(0, mostListed).map(shownKey).join(', ')}${more}.`,
        ]),
  ];
}
