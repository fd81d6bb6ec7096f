/** Arguments of a shape of which one must be a multiple of another: `hidden` of `heads`, `heads` of `kv_heads`. */
import type { Span } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { nearestDivisors } from '../basics/divisors.ts';

interface Uneven {
  readonly whole: string;
  readonly of: number;
  readonly divisor: string;
  readonly number: number;
  /** What else repairs it. */
  readonly instead?: string;
}

/** The two arguments in a shape's sentence about them; `undefined` for another sentence. */
export function unevenIn(problem: string): Uneven | undefined {
  const [, whole, of, divisor, number, instead] =
    /^(\w+) (\d+) is not a multiple of (\w+) (\d+)(?:; set (\w+))?\.?$/.exec(problem) ?? [];
  if (whole === undefined || divisor === undefined) return undefined;
  return { whole, of: Number(of), divisor, number: Number(number), ...(instead === undefined ? {} : { instead }) };
}

/** Reports the divisor, with the nearest numbers that divide. */
export function reportUneven(context: ReadContext, at: Span, { whole, of, divisor, number, instead }: Uneven): void {
  const values = nearestDivisors(of, number);
  const other = instead === undefined ? '' : `, or a value for ${instead}`;
  context.report.report(
    'type/mismatch',
    at,
    {
      expected: `a number that divides ${whole} = ${of}, such as ${values.join(' or ')}${other}`,
      found: `${divisor} = ${number}`,
    },
    { hint: { kind: 'divisor', argument: divisor, values } },
  );
}
