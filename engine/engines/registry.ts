/** All engines, and what each makes of a pipeline. */
import { deepspeed } from './deepspeed.ts';
import { type Engine, type OrderPlan, type Refusal, type Row, type Setup, type Usual, writeText } from './engine.ts';
import { megatron } from './megatron.ts';
import { megatronBridge } from './megatron_bridge.ts';
import { pytorch } from './pytorch.ts';
import { torchtitan } from './torchtitan.ts';

/** The engines that people use, in the order in which they are named. */
export const commonEngines: readonly Engine[] = [megatron, torchtitan, pytorch, deepspeed];

export const engines: readonly Engine[] = [...commonEngines, megatronBridge];

/** Engines of `able` to name: recipes over Megatron Core only where Megatron-LM does not run it. */
export const runnersAmong = (able: readonly Engine[]): readonly Engine[] =>
  engines.filter((engine) => able.includes(engine) && (engine !== megatronBridge || !able.includes(megatron)));

/** What a file writes for no engine in particular. */
export const anyEngine = 'any';

export const findEngine = (name: string): Engine | undefined => engines.find((engine) => engine.name === name);

/** Whether an engine has a policy, or takes orders as tables: then the order itself decides. */
export const mayRun = (engine: string | undefined, policy: string): boolean =>
  (engine === undefined ? undefined : findEngine(engine)?.schedules)?.includes(policy) ?? true;

/** Why an engine does not run something, and at which key. */
export interface KeyedRefusal extends Refusal {
  readonly key: string;
}

const refused = (row: Row, refusal: Refusal | undefined): readonly KeyedRefusal[] =>
  refusal === undefined ? [] : [{ ...refusal, key: row.key }];

/** Why an engine does not run an order. */
export const orderRefusals = ({ rows }: Engine, plan: OrderPlan): readonly KeyedRefusal[] =>
  rows.flatMap((row) => refused(row, row.refusesOrder?.(plan)));

/** Why it does not run the rest. */
export const setupRefusals = ({ rows }: Engine, setup: Setup): readonly KeyedRefusal[] =>
  rows.flatMap((row) => refused(row, row.refuses?.(setup)));

/** Why it does not run the rest of a file that names it, as the file writes it. */
export const writtenRefusals = ({ rows }: Engine, setup: Setup): readonly KeyedRefusal[] =>
  rows.flatMap((row) => [...refused(row, row.refuses?.(setup)), ...refused(row, row.refusesAsWritten?.(setup))]);

/** What it does if the file leaves it open. */
export const usuals = ({ rows }: Engine, setup: Setup): readonly Usual[] =>
  rows.flatMap((row) => row.usually?.(setup) ?? []);

/** A refusal in words, without the last full stop. Findings and exports say the same. */
export const refusalWords = ({ reason, nearest }: Refusal): string =>
  nearest === undefined ? reason : `${reason}. The nearest that it runs is ${writeText(nearest)}`;
