/** The fields of a configuration, read with their places. What is wrong is collected; the reader goes on with a stand-in. */
import { mostTextFaults, type TextFault } from '../fault.ts';
import { describeJson, type JsonMember, type JsonValue } from '../json/value.ts';

export interface Fields {
  readonly faults: readonly TextFault[];
  /** Whether the field is there and not null. */
  has(name: string): boolean;
  /** A whole number of at least `least` (1 unless said), or `otherwise` where the field is absent or null. Without `otherwise` it is required. */
  whole(name: string, more?: { readonly otherwise?: number; readonly least?: number }): number;
  flag(name: string, otherwise: boolean): boolean;
  /** A number; 0 where absent. */
  number(name: string): number;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  wholes(name: string): readonly number[];
  /** Reports something about a field, at its value, or at the start of the configuration where it is absent. */
  fault(name: string, message: string): void;
}

/** Numbers above this are none of a model's. */
const largest = 2 ** 40;

/** Fields of the object `config`. */
export function fieldsOf(config: JsonValue & { readonly kind: 'object' }): Fields {
  const faults: TextFault[] = [];
  const members: ReadonlyMap<string, JsonMember> = config.members;
  const present = (name: string): JsonValue | undefined => {
    const value = members.get(name)?.value;
    return value?.kind === 'null' ? undefined : value;
  };
  const fault = (name: string, message: string): void => {
    const at = present(name) ?? { start: config.start, end: config.start + 1 };
    // One field is asked for in several places; one mistake is told once.
    if (faults.length < mostTextFaults && !faults.some((one) => one.message === message))
      faults.push({ start: at.start, end: at.end, message });
  };
  const wrong = (name: string, expected: string, value: JsonValue): void =>
    fault(name, `"${name}" must be ${expected}, found ${describeJson(value)}.`);
  const list = (name: string): readonly JsonValue[] => {
    const value = present(name);
    if (value === undefined) return [];
    if (value.kind === 'array') return value.items;
    wrong(name, 'a list', value);
    return [];
  };
  return {
    faults,
    has: (name) => present(name) !== undefined,
    whole(name, { otherwise, least = 1 } = {}) {
      const value = present(name);
      if (value === undefined) {
        if (otherwise === undefined) fault(name, `"${name}" is missing.`);
        return otherwise ?? least;
      }
      if (value.kind === 'number' && Number.isInteger(value.value) && value.value >= least && value.value <= largest)
        return value.value;
      wrong(name, `a whole number from ${least} to 2^40`, value);
      return otherwise ?? least;
    },
    flag(name, otherwise) {
      const value = present(name);
      if (value?.kind === 'boolean') return value.value;
      if (value !== undefined) wrong(name, 'true or false', value);
      return otherwise;
    },
    number(name) {
      const value = present(name);
      if (value?.kind === 'number') return value.value;
      if (value !== undefined) wrong(name, 'a number', value);
      return 0;
    },
    text(name) {
      const value = present(name);
      if (value?.kind === 'string') return value.value;
      if (value !== undefined) wrong(name, 'a text', value);
      return undefined;
    },
    texts: (name) => list(name).flatMap((one) => (one.kind === 'string' ? [one.value] : [])),
    wholes: (name) =>
      list(name).flatMap((one) => {
        if (one.kind === 'number' && Number.isInteger(one.value)) return [one.value];
        wrong(name, 'a list of whole numbers', one);
        return [];
      }),
    fault,
  };
}
