/** Named arguments of a call, written into the file: `ddp` becomes `ddp(order = forward)`. */
import type { Argument, Call, Expression, Name } from '../../grammar/syntax.ts';
import type { Edit } from './proposal.ts';

/** A call, or a name that could be one. */
type Callable = Call | Name;

export function callableOf(value: Expression | undefined): Callable | undefined {
  if (value?.kind === 'group') return callableOf(value.inner);
  return value?.kind === 'call' || value?.kind === 'name' ? value : undefined;
}

/**
 * The call with these arguments; those that it has keep their places. `nameOf`: what an argument is, also without its name; `undefined`
 * removes an argument.
 */
export function withArguments(
  text: string,
  callable: Callable,
  wanted: Readonly<Record<string, string | undefined>>,
  nameOf: (argument: Argument, index: number) => string | undefined,
  callee: string = callable.kind === 'call' ? callable.callee.text : callable.text,
): Edit {
  const written = callable.kind === 'call' ? callable.arguments : [];
  const seen = new Set<string>();
  const kept = written.flatMap((argument, index) => {
    const name = nameOf(argument, index);
    if (name === undefined || !(name in wanted)) return text.slice(argument.start, argument.end);
    seen.add(name);
    return wanted[name] === undefined ? [] : `${name} = ${wanted[name]}`;
  });
  const added = Object.entries(wanted).flatMap(([name, value]) =>
    seen.has(name) || value === undefined ? [] : `${name} = ${value}`,
  );
  const all = [...kept, ...added];
  const { start, end } = callable;
  return { start, end, text: all.length === 0 ? callee : `${callee}(${all.join(', ')})` };
}
