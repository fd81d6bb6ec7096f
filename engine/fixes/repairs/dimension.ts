import { parametersOf } from '../../findings/finding.ts';
import { exampleOf, findUnit, phraseOf, units } from '../../language/units.ts';
import type { Dimension } from '../../values/plan.ts';
import { replaced, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { expressionAt, siteAt } from './site.ts';

/** The same number with a unit of the dimension that is expected. */
export const typeDimension: Repairer = { repairs };

const mostUnits = 4;
/** Characters after a number in which a unit is looked for. */
const longestUnit = 16;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const { start, end } = finding.place;
  const parameters = parametersOf(finding, 'type/dimension');
  const { path, entry } = siteAt(syntax, start);
  const value = expressionAt(path, start, end);
  if (parameters === undefined || value === undefined) return;
  const text = syntax.text.slice(start, end);
  const dimension = dimensions.find((each) => phraseOf[each] === parameters.expected);
  const sign = value.kind === 'unary' ? value.operand : value;
  if (dimension !== undefined && sign.kind === 'quantity') {
    // `5 ms`: the unit stands apart from its number.
    const [gap, unit] = /^[ \t]+([A-Za-zµ%/]+)/.exec(syntax.text.slice(end, end + longestUnit)) ?? ['', ''];
    if (sign.unit === '' && findUnit(unit)?.dimension === dimension)
      yield { what: `Change to ${text}${unit}`, edits: [replaced({ start, end: end + gap.length }, `${text}${unit}`)] };
    const token = syntax.tokens[sign.last];
    const digits = token.text.slice(0, token.text.length - sign.unit.length);
    for (const name of unitsFor(sign.unit, dimension).slice(0, mostUnits)) {
      const written = `${syntax.text.slice(value.start, sign.start)}${digits}${name}`;
      yield { what: `Change to ${written}`, edits: [replaced(value, written)] };
    }
  }
  // The finding is at one term: the other may stay alone.
  const parent = path.findLast((node) => node.kind === 'binary' && (node.left === value || node.right === value));
  if (parent?.kind === 'binary') {
    const other = parent.left === value ? parent.right : parent.left;
    const kept = syntax.text.slice(other.start, other.end);
    yield { what: `Keep only ${kept}`, edits: [replaced(parent, kept)] };
  }
  if (value.kind === 'binary') {
    for (const side of [value.left, value.right]) {
      const kept = syntax.text.slice(side.start, side.end);
      yield { what: `Keep only ${kept}`, edits: [replaced(value, kept)] };
    }
    for (const operator of ['*', '/', '+']) {
      const token = syntax.tokens[value.operatorToken];
      if (operator !== value.operator)
        yield { what: `Write "${operator}" for "${value.operator}"`, edits: [replaced(token, operator)] };
    }
  }
  if (dimension !== undefined && value.kind !== 'quantity' && text.length < 40) {
    for (const factor of [`1${usual(dimension)}`])
      yield {
        what: `Multiply by ${factor}`,
        edits: [replaced(value, `${value.kind === 'binary' ? `(${text})` : text} * ${factor}`)],
      };
  }
  if (dimension !== undefined)
    yield { what: `Write ${exampleOf[dimension]}`, edits: [replaced(value, exampleOf[dimension])], last: true };
  // What is expected is more than a dimension: the example is made from the value.
  else if (parameters.example !== undefined)
    yield { what: `Write ${parameters.example}`, edits: [replaced(value, parameters.example)] };
  if (entry !== undefined)
    yield { what: `Remove "${entry.key.text}"`, edits: [withoutNode(syntax, entry)], last: true };
}

const dimensions: readonly Dimension[] = [
  'number',
  'share',
  'time',
  'bytes',
  'bandwidth',
  'compute',
  'flops',
  'rate',
  'tokens',
];

const usual = (dimension: Dimension): string => units.find((unit) => unit.dimension === dimension)?.name ?? '';

/** Units that are usual for a dimension, next to the unit of its example. */
const common: Readonly<Record<Dimension, readonly string[]>> = {
  number: [''],
  share: ['%'],
  time: ['ms', 'us', 's'],
  bytes: ['GiB', 'MiB', 'GB'],
  bandwidth: ['GB/s', 'Gb/s'],
  compute: ['TFLOPS', 'GFLOPS'],
  flops: ['TFLOP', 'GFLOP'],
  rate: ['/s'],
  tokens: ['Ttok', 'Btok'],
};

/** Units of a dimension for one of another: `GB` as `GB/s`, `GFLOP` as `GFLOPS`, then those that are usual. */
function unitsFor(written: string, dimension: Dimension): readonly string[] {
  if (dimension === 'number') return [''];
  const all = units.filter((unit) => unit.dimension === dimension).map(({ name }) => name);
  const stem = (name: string): string => name.replace(/\/s$/, '').toLowerCase();
  const prefix = /^[KMGTP]i?/.exec(written)?.[0] ?? '';
  const alike = all.filter((name) => written !== '' && stem(name).startsWith(stem(written)));
  const scaled = all.filter((name) => prefix !== '' && name.startsWith(prefix));
  return [...new Set([...alike, ...scaled, ...common[dimension]])];
}
