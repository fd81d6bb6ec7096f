import type { Place } from '../values/plan.ts';
import { catalogue, type Code, type Parameters, type Severity, type SeverityOf } from './catalogue.ts';

/** Something to report, at a place in text. */
export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly place: Place;
  readonly related: readonly { readonly place: Place; readonly message: string }[];
  readonly hint?: FixHint;
  readonly about?: Subject;
  /** What the message was made of; read it with `parametersOf`. */
  readonly parameters?: object;
}

/** A device or link that a finding is about, where others may have the same problem at the same place in the text. */
export interface Subject {
  readonly kind: 'device' | 'link';
  readonly name: string;
}

/** The same before origins are known: `at` and `related` are paths of the plan. What the engine finds after planning. */
export interface PlanFinding {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly at: string;
  readonly related: readonly { readonly at: string; readonly message: string }[];
  readonly hint?: FixHint;
  readonly about?: Subject;
  /** What the message was made of; read it with `parametersOf`. */
  readonly parameters?: object;
}

/** An expectation by its path, with the name and the value of its figure in base units, and the operator as if the bound came last. */
export interface MissedExpectation {
  readonly path: string;
  readonly figure: string;
  readonly value: number;
  readonly operator: string;
}

/** What a quick fix needs to know beyond the place. */
export type FixHint =
  /** Replace the text at `place` by one of these, nearest first. */
  | { readonly kind: 'spelling'; readonly suggestions: readonly string[] }
  /** Write the exact best cut into the file. */
  | { readonly kind: 'balance'; readonly pipeline: string }
  /** Recompute a stage. */
  | { readonly kind: 'recompute'; readonly pipeline: string; readonly stage: number }
  /**
   * Change the pipeline so that a figure gets better. `warmup`: forwards before the first backward that hide transfers. `expect`: the
   * expectation that is not met.
   */
  | {
      readonly kind: 'tune';
      readonly pipeline: string;
      readonly warmup?: readonly number[];
      readonly expect?: MissedExpectation;
    }
  /** Another value of an input, nearest first. */
  | { readonly kind: 'value'; readonly pipeline: string; readonly input: string; readonly values: readonly number[] }
  /** Issue sends and receives together; what may be written as `batched`, narrowest first. */
  | { readonly kind: 'transfer'; readonly pipeline: string; readonly batched: readonly string[] }
  /** Write into the schedule which numbers it needs. */
  | { readonly kind: 'condition'; readonly schedule: string }
  /** Run the order of this schedule, which the pipeline's name and `_order` name. */
  | { readonly kind: 'order'; readonly pipeline: string; readonly text: string }
  /** Take over this schedule by `from`. */
  | { readonly kind: 'take-over' }
  /** Give the stages of each group the same `on`: names of stages, in the order of the schedule's devices. */
  | { readonly kind: 'group'; readonly pipeline: string; readonly groups: readonly (readonly string[])[] }
  /** Write what a training engine runs, or does unasked: a value of a key, or of an argument of it. `key`: what the finding is about. */
  | {
      readonly kind: 'engine';
      readonly pipeline: string;
      readonly key: string;
      readonly writes: readonly {
        /** Absent: the pipeline. */
        readonly block?: 'model';
        readonly key: string;
        readonly argument?: string;
        readonly value?: string;
      }[];
    }
  /** Give this device a link to its host. */
  | { readonly kind: 'host'; readonly device: string }
  /** Another number for this argument at `place`, nearest first: a divisor of another argument. */
  | { readonly kind: 'divisor'; readonly argument: string; readonly values: readonly number[] }
  /** Write this value of a key into the block of `place`, and leave what is there as it is. */
  | { readonly kind: 'key'; readonly key: string; readonly value: string }
  /** Write this text after `place`. */
  | { readonly kind: 'insert'; readonly text: string }
  /** Remove the entry at `place`. */
  | { readonly kind: 'remove' };

interface Extras<R, C extends Code> {
  readonly related?: readonly R[];
  readonly hint?: FixHint;
  readonly about?: Subject;
  /** Only for codes whose severity depends on a threshold. */
  readonly severity?: SeverityOf<C>;
}

/** A finding of the catalogue; the type of `parameters` follows from the code. */
export function finding<C extends Code>(
  code: C,
  place: Place,
  parameters: Parameters<C>,
  extras: Extras<{ readonly place: Place; readonly message: string }, C> = {},
): Finding {
  const { related = [], hint, about, severity } = extras;
  return { ...text(code, parameters, severity), place, related, hint, ...(about === undefined ? {} : { about }) };
}

/** The same for a path of the plan. */
export function planFinding<C extends Code>(
  code: C,
  at: string,
  parameters: Parameters<C>,
  extras: Extras<{ readonly at: string; readonly message: string }, C> = {},
): PlanFinding {
  const { related = [], hint, about, severity } = extras;
  return { ...text(code, parameters, severity), at, related, hint, ...(about === undefined ? {} : { about }) };
}

/** What messages need that take long, in steps. A finding has no function, since it goes from thread to thread. */
const beforeMessage = new WeakMap<Pick<Finding, 'message'>, () => Generator<unknown, void, void>>();

/** Makes the message of a finding in steps, for a host that has other things to do meanwhile. */
export function* messageSteps(found: Pick<Finding, 'message'>): Generator<unknown, string, void> {
  const steps = beforeMessage.get(found);
  if (steps !== undefined) yield* steps();
  return found.message;
}

/**
 * The same for a message that takes longer to make than all the rest: it is made when it, or its parameters, are first read. Trials of
 * other files look at codes and figures only. `before`: what the parameters need, in steps.
 */
export function latePlanFinding<C extends Code>(
  code: C,
  at: string,
  parameters: () => Parameters<C>,
  severity: SeverityOf<C>,
  hint: FixHint,
  before: () => Generator<unknown, void, void>,
): PlanFinding {
  let made: ReturnType<typeof text> | undefined;
  const words = () => (made ??= text(code, parameters(), severity));
  const found: PlanFinding = {
    ...{ code, severity, at, related: [], hint },
    get message() {
      return words().message;
    },
    get parameters() {
      return words().parameters;
    },
  };
  beforeMessage.set(found, before);
  return found;
}

/** A finding at a place of the text, without reading its message. */
export function findingAt(found: PlanFinding, place: Place, related: Finding['related']): Finding {
  const { code, severity, hint, about } = found;
  const placed: Finding = {
    ...{ code, severity, place, related, hint },
    ...(about === undefined ? {} : { about }),
    get message() {
      return found.message;
    },
    get parameters() {
      return found.parameters;
    },
  };
  const before = beforeMessage.get(found);
  if (before !== undefined) beforeMessage.set(placed, before);
  return placed;
}

function text<C extends Code>(code: C, parameters: Parameters<C>, severity?: SeverityOf<C>) {
  const entry = catalogue[code];
  const message = (entry.message as (p: Parameters<C>) => string)(parameters);
  return { code, severity: severity ?? entry.severities[0], message, parameters: parameters as object };
}

/** What the message of a finding with this code was made of; undefined for a finding with another code. */
export function parametersOf<C extends Code>(
  found: { readonly code: Code; readonly parameters?: object },
  code: C,
): Parameters<C> | undefined {
  // A finding is only made by the functions above, which pair each code with its parameters.
  return found.code === code ? (found.parameters as Parameters<C> | undefined) : undefined;
}
