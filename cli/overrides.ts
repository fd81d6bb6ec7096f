import { checkOverrides } from '../engine/language/overrides.ts';
import type { Dimension } from '../engine/values/plan.ts';
import type { Resolution } from '../engine/language/resolution.ts';
import { findUnit, nearestUnit, phraseOf } from '../engine/language/units.ts';

/** Values for params, in base units, and the dimensions that they were written in. */
export interface Overrides {
  readonly values: Readonly<Record<string, number>>;
  readonly dimensions: ReadonlyMap<string, Dimension>;
}

/** `--set name=value`: value is a number with an optional unit, as written in the file. Name may be `PIPELINE.PARAMETER`. */
export function readOverrides(settings: readonly string[]): Overrides | { readonly problem: string } {
  const values = new Map<string, number>();
  const dimensions = new Map<string, Dimension>();
  for (const setting of settings) {
    const parts = /^\s*([A-Za-z_]\w*|\w+\.[A-Za-z_]\w*)\s*=\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(\S*)\s*$/u.exec(
      setting,
    );
    if (parts === null)
      return { problem: `--set takes name=value with a number, such as microbatches=16, not "${setting}".` };
    const [, name, number, suffix] = parts;
    const unit = findUnit(suffix);
    if (unit === undefined) {
      const guess = nearestUnit(suffix);
      const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
      return { problem: `Unknown unit "${suffix}" (--set ${setting}).${hint}` };
    }
    if (values.has(name)) return { problem: `--set gives "${name}" twice.` };
    values.set(name, Number(number) * unit.scale);
    dimensions.set(name, unit.dimension);
  }
  return { values: Object.fromEntries(values), dimensions };
}

/** Why the file's params cannot take these values: no such param, another dimension, out of range. */
export function overrideProblem(resolution: Resolution, { values, dimensions }: Overrides): string | undefined {
  const mixed = resolution.plan.params.find((param) => {
    const given = dimensions.get(param.name);
    return given !== undefined && given !== param.dimension && !(given === 'number' && param.dimension === 'share');
  });
  if (mixed !== undefined) {
    const given = dimensions.get(mixed.name) ?? 'number';
    return `"${mixed.name}" is ${phraseOf[mixed.dimension]}, and --set gives ${phraseOf[given]}.`;
  }
  return checkOverrides(resolution, values)[0];
}
