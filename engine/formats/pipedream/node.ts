/** Reads one node line of a profile. */
import type { TextFault } from '../fault.ts';
import type { Line } from '../lines.ts';
import type { ProfileNode } from './graph.ts';

export const separator = ' -- ';

const figures = ['forward_compute_time', 'backward_compute_time', 'activation_size', 'parameter_size'] as const;
type Figure = (typeof figures)[number];

/**
 * `ID -- DESCRIPTION -- k=v, k=v, k=v, k=v`, and after it maybe ` -- stage_id=N`. The description may hold commas, equal signs and even
 * the separator, so fields are counted from both ends.
 */
export function readNode({ text, start }: Line): ProfileNode | TextFault {
  const whole = { start, end: start + text.length };
  const fields = text.trimEnd().split(separator);
  const last = fields.at(-1) ?? '';
  const planned = /^stage_id\s*=/.test(last.trim());
  const at = fields.length - (planned ? 2 : 1);
  if (at < 2) {
    const expected =
      '`ID -- DESCRIPTION -- forward_compute_time=…, backward_compute_time=…, activation_size=…, parameter_size=…`';
    return { ...whole, message: `This is not a node of a profile: expected ${expected}.` };
  }
  const before = fields.slice(0, at).join(separator).length + separator.length;
  const read = readFigures(fields[at], start + before);
  if ('message' in read) return read;
  const id = fields[0].trim();
  if (id === '') return { ...whole, message: 'This node has no name.' };
  const stage = planned ? /^stage_id\s*=\s*(\d+)$/.exec(last.trim())?.[1] : undefined;
  if (planned && stage === undefined)
    return {
      start: whole.end - last.length,
      end: whole.end,
      message: 'This is not a stage: expected `stage_id=N`.',
    };
  return {
    id,
    description: fields.slice(1, at).join(separator).trim(),
    forward: read.forward_compute_time,
    backward: read.backward_compute_time,
    activation: read.activation_size,
    parameters: read.parameter_size,
    ...(stage === undefined ? {} : { stage: Number(stage) }),
    ...whole,
  };
}

/** Figures by name; names that this reader does not know are passed over. */
function readFigures(field: string, start: number): Record<Figure, number> | TextFault {
  const found: Partial<Record<Figure, number>> = {};
  for (const { 0: part, index } of field.matchAll(/[^,]+/g)) {
    const equals = part.indexOf('=');
    const name = figures.find((figure) => figure === part.slice(0, Math.max(0, equals)).trim());
    if (name === undefined) continue;
    const place = { start: start + index + equals + 1, end: start + index + part.length };
    if (found[name] !== undefined) return { ...place, message: `${name} appears twice here.` };
    const value = numberOrSum(part.slice(equals + 1).trim());
    if (value === undefined)
      return {
        ...place,
        message: `${name} must be a number that is not negative.`,
      };
    found[name] = value;
  }
  const absent = figures.find((figure) => found[figure] === undefined);
  if (absent !== undefined) return { start, end: start + field.length, message: `This node has no ${absent}.` };
  return { forward_compute_time: 0, backward_compute_time: 0, activation_size: 0, parameter_size: 0, ...found };
}

const plain = /^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `0.01`, `0`, or the sum of `[6291456.0; 131072.0]`. */
function numberOrSum(text: string): number | undefined {
  const parts = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1).split(';') : [text];
  let sum = 0;
  for (const part of parts) {
    if (!plain.test(part.trim())) return undefined;
    sum += Number(part);
  }
  return Number.isFinite(sum) ? sum : undefined;
}
