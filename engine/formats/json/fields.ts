/** The fields of a JSON object, read with their places. What is wrong is collected; the reader goes on with a stand-in. */
import { mostTextFaults, type TextFault } from '../fault.ts';
import { describeJson, type JsonMember, type JsonValue } from './value.ts';

export interface Fields {
  readonly faults: readonly TextFault[];
  /** Whether the field is there and not null. */
  has(name: string): boolean;
  /**
   * A whole number of at least `least` (default: 1), or `otherwise` if the field is absent or null. Without `otherwise` it is
   * required.
   */
  whole(name: string, more?: { readonly otherwise?: number; readonly least?: number }): number;
  flag(name: string, otherwise: boolean): boolean;
  /**
   * A number of units (default: 1) in base units, from `least` of these (default: 1) up to `most` units, or 0 with `zero`.
   * `otherwise` if the field is absent or null; without `otherwise` it is required.
   */
  amount(
    name: string,
    more?: {
      readonly unit?: number;
      readonly otherwise?: number;
      readonly zero?: true;
      readonly least?: number;
      readonly most?: number;
    },
  ): number;
  /** A number; 0 where absent. */
  number(name: string): number;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  wholes(name: string): readonly number[];
  /** The field as written; undefined if it is absent or null. */
  value(name: string): JsonValue | undefined;
  /** Values of a list; none where the field is absent. */
  items(name: string): readonly JsonValue[];
  /** Names of the fields, in order. */
  readonly names: readonly string[];
  /** Fields of an object in a field, whose faults are collected here; undefined where it is no object, which is reported. */
  inner(name: string): Fields | undefined;
  /** Fields of an object in a list, called `name` in messages. */
  within(value: JsonValue, name: string): Fields | undefined;
  /** Reports something about a field, at its value, or at the start of the object where it is absent. */
  fault(name: string, message: string): void;
  /** Reports something at a value. */
  faultAt(value: JsonValue, message: string): void;
}

/** Whole numbers above this are none of a model's. */
const largest = 2 ** 40;
/** Any other figure above this, in base units, is a mistake of digits. */
const greatest = 9e23;

type JsonObject = JsonValue & { readonly kind: 'object' };

/** Fields of the object `config`. */
export const fieldsOf = (config: JsonObject): Fields => fieldsIn(config, '', []);

/** `prefix` comes before names in messages: `matrix.`. */
function fieldsIn(config: JsonObject, prefix: string, faults: TextFault[]): Fields {
  const members: ReadonlyMap<string, JsonMember> = config.members;
  const present = (name: string): JsonValue | undefined => {
    const value = members.get(name)?.value;
    return value?.kind === 'null' ? undefined : value;
  };
  const tell = (at: { readonly start: number; readonly end: number }, message: string): void => {
    // One field is asked for in several places; one mistake is told once.
    if (
      faults.length < mostTextFaults &&
      !faults.some((textFault) => textFault.start === at.start && textFault.message === message)
    )
      faults.push({ start: at.start, end: at.end, message });
  };
  const fault = (name: string, message: string): void =>
    tell(present(name) ?? { start: config.start, end: config.start + 1 }, message);
  const missing = (name: string): void => fault(name, `"${prefix}${name}" is missing.`);
  const wrong = (name: string, expected: string, kind: JsonValue['kind'], value: JsonValue): void =>
    fault(
      name,
      `"${prefix}${name}" must be ${expected}${value.kind === kind ? '' : `, found ${describeJson(value)}`}.`,
    );
  const within = (value: JsonValue, name: string): Fields | undefined => {
    if (value.kind === 'object') return fieldsIn(value, `${prefix}${name}.`, faults);
    tell(value, `"${prefix}${name}" must be an object, found ${describeJson(value)}.`);
    return undefined;
  };
  const list = (name: string): readonly JsonValue[] => {
    const value = present(name);
    if (value === undefined) return [];
    if (value.kind === 'array') return value.items;
    wrong(name, 'a list', 'array', value);
    return [];
  };
  return {
    faults,
    has: (name) => present(name) !== undefined,
    whole(name, { otherwise, least = 1 } = {}) {
      const value = present(name);
      if (value === undefined) {
        if (otherwise === undefined) missing(name);
        return otherwise ?? least;
      }
      if (value.kind === 'number' && Number.isInteger(value.value) && value.value >= least && value.value <= largest)
        return value.value;
      wrong(name, `a whole number from ${least} to 2^40`, 'number', value);
      return otherwise ?? least;
    },
    flag(name, otherwise) {
      const value = present(name);
      if (value?.kind === 'boolean') return value.value;
      if (value !== undefined) wrong(name, 'true or false', 'boolean', value);
      return otherwise;
    },
    amount(name, { unit = 1, otherwise, zero, least = 1, most = greatest / unit } = {}) {
      const value = present(name);
      const standIn = otherwise ?? 1;
      if (value === undefined) {
        if (otherwise === undefined) missing(name);
        return standIn;
      }
      if (value.kind !== 'number' || value.value < 0 || (value.value === 0 && zero !== true)) {
        wrong(name, `a number ${zero === true ? 'of at least 0' : 'over 0'}`, 'number', value);
        return standIn;
      }
      if (value.value <= most && (value.value === 0 || value.value * unit >= least)) return value.value * unit;
      wrong(name, value.value > most ? `at most ${most}` : `at least ${least / unit}`, 'number', value);
      return standIn;
    },
    number(name) {
      const value = present(name);
      if (value?.kind === 'number') return value.value;
      if (value !== undefined) wrong(name, 'a number', 'number', value);
      return 0;
    },
    text(name) {
      const value = present(name);
      if (value?.kind === 'string') return value.value;
      if (value !== undefined) wrong(name, 'a text', 'string', value);
      return undefined;
    },
    texts: (name) => list(name).flatMap((jsonValue) => (jsonValue.kind === 'string' ? [jsonValue.value] : [])),
    wholes: (name) =>
      list(name).flatMap((jsonValue) => {
        if (jsonValue.kind === 'number' && Number.isInteger(jsonValue.value)) return [jsonValue.value];
        wrong(name, 'a list of whole numbers', 'array', jsonValue);
        return [];
      }),
    value: present,
    items: list,
    names: [...members.keys()],
    inner(name) {
      const value = present(name);
      if (value === undefined) missing(name);
      return value === undefined ? undefined : within(value, name);
    },
    within,
    fault,
    faultAt: tell,
  };
}
