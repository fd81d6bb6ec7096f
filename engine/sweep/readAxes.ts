/** Reads `tensor = 1..8, recompute = [none, full]`: what `--over` takes. */
import { parse } from '../../grammar/index.ts';
import { pipelineBody, valueOf } from '../fixes/source.ts';
import { axisValues } from '../language/axisValues.ts';
import type { Axis } from '../definitions/search.ts';

/** The axes, or a sentence that says what is wrong. */
export function readAxes(text: string): readonly Axis[] | { readonly problem: string } {
  const axes: Axis[] = [];
  for (const part of parted(text)) {
    const [, key, , value] = /^\s*([A-Za-z_]\w*)\s*(=|\bin\b)\s*(\S[\s\S]*)$/u.exec(part) ?? [];
    if (key === undefined || value === undefined)
      return {
        problem: `--over takes keys with values, such as "tensor = 1..8, recompute = [none, full]", not "${part.trim()}".`,
      };
    const values = valuesIn(value.trim());
    if ('expected' in values) return { problem: `"${key}" takes ${values.expected}, not ${values.found}.` };
    if (axes.some((axis) => axis.key === key))
      return { problem: `"${key}" is searched twice. Put its values into one list.` };
    axes.push({ key, values });
  }
  return axes;
}

/** The parts of a list at its outer commas. */
function parted(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(' || text[at] === '[') depth += 1;
    if (text[at] === ')' || text[at] === ']') depth -= 1;
    if (text[at] !== ',' || depth > 0) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part.trim() !== '');
}

function valuesIn(text: string): ReturnType<typeof axisValues> {
  const before = 'pipeline p {\n  key = ';
  const syntax = parse(`${before}${text}\n}\n`);
  const body = pipelineBody(syntax, 'p');
  const value = body === undefined ? undefined : valueOf(body, 'key');
  if (value === undefined || syntax.errors.length > 0 || value.end !== before.length + text.length)
    return { expected: 'a list such as [1, 2, 4], a range such as 1..8, or one value', found: `"${text}"` };
  return axisValues(syntax, value);
}
