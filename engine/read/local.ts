/** Reads `sync = local(…)`. */
import type { Argument, Expression, Span } from '../../grammar/syntax.ts';
import { sizeOf, type Mesh } from '../costs/mesh.ts';
import { shardsState } from '../costs/optimizer.ts';
import type { OptimizerUse } from '../definitions/optimizer.ts';
import { backupWords, localParameters, localRule, type LocalUse, outerWords } from '../exchange/local.ts';
import { asWritten } from '../language/canonical.ts';
import { wholeNumber } from '../language/expressions.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';

export interface LocalRead {
  readonly use: LocalUse;
  readonly at: (argument: string) => Span;
}

/** `undefined` where it is wrong, which has been reported. */
export function readLocal(context: ReadContext, expression: Expression): LocalRead | undefined {
  const names = localParameters.map(({ name }) => name);
  const bound =
    expression.kind === 'call'
      ? bindArguments(context, expression, localRule.name, names)
      : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  const at = (argument: string): Span => bound.get(argument)?.value ?? expression;
  if (!bound.has('steps')) {
    context.report.report('key/missing', expression, {
      key: 'steps',
      block: 'call to local',
      example: 'local(steps = 500)',
    });
    return undefined;
  }
  const number = (name: string, usual: number, min: number): number | undefined => {
    const argument = bound.get(name);
    return argument === undefined ? usual : wholeNumber(context, argument.value, `"${name}"`, { min });
  };
  const word = <W extends string>(name: string, words: readonly W[]): W | undefined => {
    const value = bound.get(name)?.value;
    if (value === undefined) return words[0];
    const found = value.kind === 'name' ? words.find((each) => each === value.text) : undefined;
    // A name that is not known has been reported.
    if (found === undefined && (value.kind !== 'name' || context.links.has(value)))
      context.report.report('type/mismatch', value, {
        expected: words.map((each) => `\`${each}\``).join(' or '),
        found: asWritten(context, value),
      });
    return found;
  };
  const steps = number('steps', 0, 1);
  const fragments = number('fragments', 1, 1);
  const delay = number('delay', 0, 0);
  const bits = number('bits', 32, 1);
  const islands = number('islands', 0, 1);
  const outer = word('outer', outerWords);
  const backup = word('backup', backupWords);
  if (steps === undefined || fragments === undefined || delay === undefined || bits === undefined) return undefined;
  if (islands === undefined || outer === undefined || backup === undefined) return undefined;
  const refuse = (name: string, value: number, allowed: string): undefined => {
    context.report.report('value/range', at(name), { what: `"${name}"`, value: String(value), allowed });
    return undefined;
  };
  if (![4, 8, 16, 32].includes(bits)) return refuse('bits', bits, '4, 8, 16 or 32');
  const whole = '`outer = average` averages all weights at once, after an update';
  if (outer === 'average' && fragments > 1) return refuse('fragments', fragments, `1: ${whole}`);
  if (outer === 'average' && delay > 0) return refuse('delay', delay, `0: ${whole}`);
  if (steps % fragments !== 0)
    return refuse('fragments', fragments, `a divisor of ${steps}, the steps, so that each part has its turn`);
  if (delay >= steps / fragments)
    return refuse('delay', delay, `less than ${steps / fragments}: the next part is exchanged after that many updates`);
  return { use: { steps, fragments, outer, delay, bits, ...(islands === 0 ? {} : { islands }), backup }, at };
}

/** The mesh with its data ranks in islands; `undefined` where they do not divide it (reported). */
export function inIslands(
  context: ReadContext,
  mesh: Mesh,
  { use, at }: LocalRead,
  optimizer: OptimizerUse | undefined,
): Mesh | undefined {
  const { data, context: parts, tensor, expert, expertTensor } = mesh;
  const group = optimizer !== undefined && shardsState(optimizer.shard) ? (optimizer.over ?? data * parts) : parts;
  const islands = use.islands ?? (data * parts) / group;
  const refuse = (allowed: string): undefined => {
    context.report.report('value/range', at('islands'), { what: '"islands"', value: String(islands), allowed });
    return undefined;
  };
  if (islands === 1)
    return refuse(
      use.islands === undefined && data > 1
        ? 'written: by default all ranks that share the optimizer state are one island, and islands exchange nothing'
        : 'at least 2: one island has no other to share its weights with',
    );
  if (data % islands !== 0) return refuse(`a divisor of ${data}, the data ranks`);
  if ((sizeOf({ tensor, context: parts, data: data / islands }) / expertTensor) % expert !== 0)
    return refuse(`fewer, so that the ${expert} expert ranks are in one island`);
  return { ...mesh, islands };
}
