/** From what a file says of a rule to the rule of a plan: sizes in bytes, nothing left open. */
import type { ExchangeRule } from '../values/exchangePlan.ts';
import type { RuleArguments, Size } from './arguments.ts';
import type { ExchangePreset } from './presets.ts';

export interface RuleRequest {
  readonly preset: ExchangePreset;
  readonly written: RuleArguments;
  /** Ranks that hold the same weights. */
  readonly ranks: number;
  /** Bytes of the gradient of one parameter. */
  readonly gradient: number;
}

/** What does not fit together, and the nearest that does. */
export interface RuleProblem {
  readonly argument: string;
  readonly value: string;
  readonly allowed: string;
}

/** The rule, or an argument that contradicts another. */
export function exchangeRule({ preset, written, ranks, gradient }: RuleRequest): ExchangeRule | RuleProblem {
  const said = { ...argumentsOf(preset, written, ranks), ...written };
  const bytes = (size: Size): number => ('bytes' in size ? size.bytes : size.parameters * gradient);
  const { order = 'ready', bucket: asked, partition: pieces = 'whole', barrier = true } = said;
  const bucket = asked === undefined ? 'layer' : asked === 'best' ? asked : bytes(asked) || 'layer';
  const partition = typeof pieces === 'string' ? pieces : bytes(pieces);
  const credit = creditOf(said, partition, bytes);
  if (typeof credit === 'object') return credit;
  const first = said.first === undefined ? undefined : bytes(said.first);
  const fuse = said.fuse === undefined ? undefined : bytes(said.fuse);
  if (first !== undefined && (typeof bucket === 'string' || first > bucket))
    return {
      argument: 'first',
      value: sizeText(first),
      allowed:
        bucket === 'best'
          ? 'absent where `bucket = best` chooses all sizes'
          : bucket === 'layer'
            ? 'a size only where `bucket` says one'
            : `at most the bucket, ${sizeText(bucket)}`,
    };
  if (fuse !== undefined && said.cycle === undefined)
    return { argument: 'fuse', value: sizeText(fuse), allowed: 'a size only where `cycle` says how often' };
  return {
    name: preset.name,
    order,
    bucket,
    ...(first === undefined ? {} : { first }),
    ...(said.cycle === undefined ? {} : { cycle: said.cycle }),
    ...(fuse === undefined ? {} : { fuse }),
    partition,
    credit,
    strict: said.strict ?? false,
    ack: said.ack ?? 0,
    barrier,
    earlyStart: said.early_start ?? false,
    halves: said.halves ?? 'together',
  };
}

const units = { MiB: 2 ** 20, GB: 1e9, MB: 1e6, KB: 1e3 };

/** A size as a file has it, so that it can be compared with what the file says and be copied into it: `50MB`, `25MiB`. */
export function sizeText(bytes: number): string {
  const unit = Object.entries(units).find(([, size]) => bytes >= size && Number.isInteger(bytes / size));
  return unit === undefined ? `${bytes}B` : `${bytes / unit[1]}${unit[0]}`;
}

const argumentsOf = ({ arguments: said }: ExchangePreset, written: RuleArguments, ranks: number): RuleArguments =>
  typeof said === 'function' ? said(ranks, written) : said;

/** What a preset says of a parameter, as a file writes it; `undefined` if it leaves the parameter as `overlap` has it. */
export function presetText(preset: ExchangePreset, parameter: string): string | undefined {
  const said: ReadonlyMap<string, RuleArguments[keyof RuleArguments]> = new Map(
    Object.entries(argumentsOf(preset, {}, 2)),
  );
  const value = said.get(parameter === 'slice' ? 'partition' : parameter);
  if (value === undefined) return undefined;
  if (typeof value === 'number') return `${value * 1e3}ms`;
  if (typeof value !== 'object') return parameter === 'slice' ? undefined : String(value);
  if ('pieces' in value) return String(value.pieces);
  if ('parameters' in value)
    return parameter === 'slice' ? String(value.parameters) : `${value.parameters.toLocaleString('en-US')} parameters`;
  return parameter === 'slice' ? undefined : sizeText(value.bytes);
}

/** Whether a preset and what is written with it ask for a barrier, whatever the ranks. */
export const hasBarrier = (preset: ExchangePreset, written: RuleArguments): boolean =>
  ({ ...argumentsOf(preset, written, 2), ...written }).barrier ?? true;

/** If buckets go as they get ready, all are handed over at once: the lane has that order anyway. */
function creditOf(
  { credit, order = 'ready' }: RuleArguments,
  partition: ExchangeRule['partition'],
  bytes: (size: Size) => number,
): ExchangeRule['credit'] | RuleProblem {
  if (credit === undefined) return order === 'ready' ? 'unlimited' : 'piece';
  if (credit === 'best') return credit;
  if (!('pieces' in credit)) return bytes(credit);
  if (credit.pieces === 1) return 'piece';
  if (typeof partition === 'number') return credit.pieces * partition;
  return {
    argument: 'credit',
    value: String(credit.pieces),
    allowed: '1, or a number of bytes: pieces have no fixed size here',
  };
}
