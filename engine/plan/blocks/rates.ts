/** `compute` and `efficiency` of a device: one figure for all number formats, others for single ones. */
import type { Entry } from '../../../grammar/syntax.ts';
import type { Precision } from '../costs/types.ts';
import type { FileContext } from '../context.ts';
import type { DeviceDefinition, PrecisionFigures } from '../definitions.ts';
import { quantity } from '../evaluate.ts';
import { type Keys, valueOf } from '../keys.ts';
import { findKey } from '../schema.ts';

/** Peak (FLOP/s; undefined where the file does not say) and the share of it that kernels reach, at a precision. */
export const speedAt = (
  { compute, computeAt, efficiency, efficiencyAt }: DeviceDefinition,
  precision: Precision,
): { readonly compute: number | undefined; readonly efficiency: number } => ({
  compute: computeAt[precision] ?? compute,
  efficiency: efficiencyAt[precision] ?? efficiency,
});

/** `all` is what `KEY = …` says, `at` what `KEY(fp8) = …` says; undefined where one of them is wrong (reported). */
export function readFigures(
  context: FileContext,
  keys: Keys,
  name: 'compute' | 'efficiency',
): { readonly all?: number; readonly at: PrecisionFigures } | undefined {
  const schema = findKey(keys.block, name);
  const firsts = new Map<string, Entry>();
  const at: { [P in Precision]?: number } = {};
  let all: number | undefined;
  let wrong = false;
  for (const entry of keys.all(name)) {
    const precision = readPrecision(context, entry, name);
    const value = valueOf(entry);
    if (precision === undefined || value === undefined || schema?.value.kind !== 'quantity') {
      wrong = true;
      continue;
    }
    const earlier = firsts.get(precision);
    if (earlier !== undefined) {
      const key = precision === '' ? name : `${name}(${precision})`;
      const related = [{ place: context.report.place(earlier.key), message: 'This one counts.' }];
      const hint = { kind: 'remove' } as const;
      context.report.report('key/duplicate', entry.key, { key, block: 'device' }, { related, hint });
      continue;
    }
    firsts.set(precision, entry);
    const figure = quantity(context, value, schema.value, `"${name}"`);
    if (figure === undefined) wrong = true;
    else if (precision === '') all = figure;
    else at[precision] = figure;
  }
  return wrong ? undefined : { all, at };
}

/** `''` where the entry has no precision; undefined where it has something else in its parentheses. */
function readPrecision(context: FileContext, entry: Entry, name: string): Precision | '' | undefined {
  if (entry.parameters === undefined) return '';
  const [one, second] = entry.parameters;
  if (one?.kind === 'name' && second === undefined)
    return precisions.includes(one.text) ? (one.text as Precision) : undefined;
  if (one !== undefined && one.kind !== 'missing')
    context.report.report('type/mismatch', second ?? one, {
      expected: `one number format, such as \`${name}(fp8)\``,
      found: `\`${context.syntax.text.slice(one.start, Math.min((second ?? one).end, one.start + 40))}\``,
    });
  return undefined;
}

const precisions: readonly string[] = (findKey('device', 'compute')?.parameters ?? []).map((one) => one.name);
