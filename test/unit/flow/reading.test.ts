/** After an edit only some declarations are read. What is known of the file is what reading all of it gives. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { defaultOptions as options } from '../../../engine/basics/host.ts';
import { directSearches, noSearches, type Searches } from '../../../engine/basics/searches.ts';
import { resolve } from '../../../engine/flow/resolve.ts';
import type { Resolution } from '../../../engine/language/resolution.ts';
import { parse } from '../../../grammar/index.ts';
import type { Declaration } from '../../../grammar/syntax.ts';
import { exampleNames, exampleText, exampleUri } from '../../support/example.ts';
import { diskHost } from '../../support/host.ts';
import * as fc from '../../support/property.ts';

/** Declarations that no pipeline needs. */
const others = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `
/// Measured on ${at} devices.
model measured_${at} { layer l${at} { forward = ${at + 1}ms  backward = 2ms } layer last { forward = 2ms  backward = 4ms } } // layer
let window_${at} = 4ms * ${at + 1}
let double_${at} = 2 * window_${at}
schedule rule_${at} { order = greedy(prefer = [B, F])  in_flight(s) = min(stages - s, microbatches) }
device kind_${at} { memory = ${16 + at}GiB  compute = 312TFLOPS }
cluster room_${at} { node[4] { gpu[8] = kind_${at}  link = 235GB/s }  link = 25GB/s }
`,
  ).join('');

const uri = exampleUri('quickstart.pipe');
const faults = options.limits.findings;

/** All that a resolution says. */
const said = ({ findings, symbols, origins, places, derived, schedules, ...rest }: Resolution) => ({
  plan: rest.plan,
  pending: rest.pending,
  sizes: rest.sizes,
  imports: rest.imports,
  searches: rest.searches,
  tests: rest.tests.map(({ test: { name }, place }) => ({ name, place })),
  findings: findings.map(({ code, severity, message, place, related, hint }) => ({
    ...{ code, severity, message, place, related, hint },
  })),
  symbols: [...symbols.symbols],
  references: symbols.references,
  origins: [...origins].sort(([a], [b]) => (a < b ? -1 : 1)),
  places: [...origins.keys()].sort().map((path) => [path, places.get(path)]),
  derived,
  schedules: schedules.map(({ name, source }) => ({ name, source })),
});

/** Whether both say the same; Vitest says what differs, but takes long to see that nothing does. */
function same(found: Resolution, wanted: Resolution): void {
  if (!isDeepStrictEqual(said(found), said(wanted))) expect(said(found)).toEqual(said(wanted));
}

interface Read {
  readonly resolution: Resolution;
  readonly syntax: ReturnType<typeof parse>;
}

function read(text: string, earlier?: Read, searches: Searches = noSearches): Read {
  const syntax = parse(text, { faults }, earlier?.syntax);
  const resolution = resolve({
    ...{ uri, syntax, host: diskHost, options, searches },
    earlier: earlier?.resolution,
  });
  return { syntax, resolution };
}

/** Edits as people make them: of a token, of a line, of a whole declaration. Each number is a share of the file. */
const edits: Readonly<Record<string, (text: string, at: number, other: number) => string>> = {
  rename: (text, at, other) => {
    const names = parse(text).tokens.filter(({ kind }) => kind === 'name');
    const [one, another] = [at, other].map((share) => names[Math.floor(share * names.length)]);
    return one === undefined ? text : text.slice(0, one.start) + another.text + text.slice(one.end);
  },
  renamedDeclaration: (text, at, other) => {
    const names = parse(text).declarations.flatMap((each) => ('name' in each ? (each.name ?? []) : []));
    const [one, another] = [at, other].map((share) => names[Math.floor(share * names.length)]);
    if (one === undefined) return text;
    return text.slice(0, one.start) + (other < 0.7 ? 'renamed' : another.text) + text.slice(one.end);
  },
  letter: (text, at) => {
    const place = Math.floor(at * text.length);
    return `${text.slice(0, place)}x${text.slice(place)}`;
  },
  digit: (text, at) => {
    const numbers = parse(text).tokens.filter(({ kind }) => kind === 'quantity');
    const one = numbers[Math.floor(at * numbers.length)];
    return one === undefined ? text : `${text.slice(0, one.start)}1${text.slice(one.start)}`;
  },
  deletedToken: (text, at) => {
    const { tokens } = parse(text);
    const one = tokens[Math.floor(at * tokens.length)];
    return one === undefined ? text : text.slice(0, one.start) + text.slice(one.end);
  },
  deletedLine: (text, at) => {
    const lines = text.split('\n');
    return lines.toSpliced(Math.floor(at * lines.length), 1).join('\n');
  },
  newLine: (text, at) => {
    const lines = text.split('\n');
    return lines.toSpliced(Math.floor(at * lines.length), 0, '// measured').join('\n');
  },
  copiedDeclaration: (text, at, other) => {
    const { declarations } = parse(text);
    const [one, before] = [at, other].map((share) => declarations[Math.floor(share * declarations.length)]);
    if (one === undefined) return text;
    return `${text.slice(0, before.start)}${text.slice(one.start, one.end)}\n${text.slice(before.start)}`;
  },
  deletedDeclaration: (text, at) => {
    const { declarations } = parse(text);
    const one = declarations[Math.floor(at * declarations.length)];
    return one === undefined ? text : text.slice(0, one.start) + text.slice(one.end);
  },
  newDeclaration: (text, at, other) => {
    const { declarations, tokens } = parse(text);
    const names = tokens.filter(({ kind }) => kind === 'name');
    const before = declarations[Math.floor(at * declarations.length)];
    const name = names[Math.floor(other * names.length)];
    if (before === undefined || name === undefined) return text;
    return `${text.slice(0, before.start)}let ${name.text} = 2 * 3ms\n${text.slice(before.start)}`;
  },
};

const small = exampleNames.filter((name) => exampleText(name).length < 6_000);
const files = fc.oneof(
  fc.constantFrom(...small).map((name) => exampleText(name) + others(4)),
  fc.constantFrom(...small).map((name) => others(3) + exampleText(name)),
  // Names that are declared twice, and mistakes far from the edit.
  fc.tuple(fc.constantFrom(...small), fc.constantFrom(...small)).map((two) => two.map(exampleText).join('\n')),
);
const made = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.keys(edits)),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    other: fc.double({ min: 0, max: 0.999, noNaN: true }),
    isUndone: fc.boolean(),
  }),
  { minLength: 4, maxLength: 10 },
);

test.each([
  ['without answers', noSearches, 8],
  ['with answers', directSearches(), 2],
])('after edits all that is known of a file is what reading all of it gives, %s', (_, searches, numRuns) => {
  fc.assert(
    fc.property(files, made, (file, changes) => {
      let text = file;
      let last = read(text, undefined, searches);
      const edited = (next: string): void => {
        text = next;
        last = read(text, last, searches);
        same(last.resolution, read(text, undefined, searches).resolution);
      };
      for (const { kind, at, other, isUndone } of changes) {
        const before = text;
        edited(edits[kind](text, at, other));
        if (isUndone) edited(before);
      }
    }),
    { numRuns },
  );
});

/** Declarations of an edited text whose values are looked at. */
function lookedAt(text: string, earlier: Read): readonly string[] {
  const syntax = parse(text, { faults }, earlier.syntax);
  const seen = new Set<string>();
  const declarations = syntax.declarations.map((declaration): Declaration => {
    if (declaration.kind !== 'block' || declaration.body === undefined) return declaration;
    const { kind, first, last, start, end, doc, keyword, name, body } = declaration;
    const label = `${keyword.text} ${name?.text}`;
    const entries = body.entries.map((item) => ({
      ...item,
      get values() {
        seen.add(label);
        return item.kind === 'entry' ? item.values : undefined;
      },
    }));
    return { kind, first, last, start, end, doc, keyword, name, body: { ...body, entries } };
  });
  resolve({
    ...{ uri, syntax: { ...syntax, declarations }, host: diskHost, options, searches: noSearches },
    earlier: earlier.resolution,
  });
  return [...seen];
}

test('an edit reads declarations that it changes, what depends on them, what these need, and pipelines', () => {
  const file = `model m { layer block[2] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[2] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 4  stages = balance(2)  schedule = 1f1b }
${others(20)}`;
  const first = read(file);
  const pipelines = ['model m', 'cluster c', 'device d', 'pipeline train'];
  const names = (before: string, after: string) => lookedAt(file.replace(before, after), first).toSorted();
  expect(names('layer l3 { forward = 4ms', 'layer l3 { forward = 5ms')).toEqual(
    [...pipelines, 'model measured_3'].toSorted(),
  );
  expect(names('device kind_7 { memory', 'device kind_7 {  memory')).toEqual(
    [...pipelines, 'cluster room_7', 'device kind_7'].toSorted(),
  );
  expect(names('// layer', '// a layer')).toEqual(pipelines.toSorted());
});

test('a pipeline is planned again if its text or what it depends on changes', () => {
  const pipeline = (name: string) => `
pipeline ${name} { model = m_${name}  devices = c  microbatches = 4  stages = balance(2)  schedule = 1f1b }
model m_${name} { layer block[4] { forward = time_${name}  backward = 2ms } }
let time_${name} = 1ms
`;
  const file = `device d { memory = 1GiB }
cluster c { gpu[2] = d  link = 1GB/s }
${pipeline('one')}${pipeline('two')}`;
  const first = read(file, undefined, directSearches());
  const plansOf = ({ resolution }: Read) => resolution.plan.pipelines;
  /** Names of the pipelines with another plan. */
  const planned = (before: string, after: string, earlier = first): readonly string[] => {
    const next = read(file.replace(before, after), earlier, directSearches());
    return plansOf(next).flatMap((plan) => (plansOf(earlier).includes(plan) ? [] : plan.name));
  };
  expect(planned('device d', '// A comment.\ndevice d')).toEqual([]);
  expect(planned('let time_one = 1ms', 'let time_one = 1.5ms')).toEqual(['one']);
  expect(planned('model = m_two', 'model =  m_two')).toEqual(['two']);
  expect(planned('link = 1GB/s', 'link = 2GB/s')).toEqual(['one', 'two']);
});
