import type { Block, Call, Entry, Index } from '../../../grammar/syntax.ts';
import type { Analysis } from '../../flow/check.ts';
import { parametersOf } from '../../findings/finding.ts';
import { type BlockName, findKey } from '../../language/schema.ts';
import { exampleOf } from '../../language/units.ts';
import { list } from '../../basics/quantities.ts';
import { indentOf, lineBreak, valueOf } from '../source.ts';
import { inserted, joined, replaced, withEntry, withoutNode } from './edits.ts';
import { type Exported, standardNames } from '../../language/exported.ts';
import { withImport } from './exports.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { bodiesOf, bodyNamedAt, siteAt } from './site.ts';
import { namesOf, valuesOfKey } from './values.ts';

/** The key with a value that it can take: names in scope first, then words, then an example. */
export const keyMissing: Repairer = { repairs };

const mostValues = 4;

function* repairs(mistake: Mistake): Generator<Repair | undefined> {
  const { analysis, finding } = mistake;
  const parameters = parametersOf(finding, 'key/missing');
  if (parameters === undefined) return;
  const { key, block, example } = parameters;
  if (key === 'host_bandwidth') return yield* ofHost(analysis, block, example);
  const { path } = siteAt(analysis.syntax, finding.place.start);
  if (block.startsWith('call to ')) return yield* inCall(mistake, key, example);
  const call = path.findLast((node): node is Call => node.kind === 'call' && node.start === finding.place.start);
  if (call !== undefined) return yield* inCall(mistake, key, example);
  const named = bodyNamedAt(analysis.syntax, finding.place.start);
  if (named === undefined) return yield* inName(mistake, key, example);
  if (parameters.more !== undefined)
    return yield* allKeys(analysis, named.body, named.block, [key, ...parameters.more.map((each) => each.key)]);
  const schema = findKey(named.block, key);
  const written = new Set<string>();
  if (named.block === 'layer') for (const value of halves(named.body, key)) written.add(value);
  if (named.block === 'stage' && key === 'on') for (const value of places(analysis)) written.add(value);
  if (schema !== undefined) for (const value of valuesOfKey(analysis, schema, mostValues)) written.add(value);
  else written.add(example.includes('= ') ? example.slice(example.indexOf('= ') + 2) : example);
  for (const value of written)
    yield {
      what: `Add ${key} = ${value}`,
      edits: [withEntry(analysis.syntax.text, named.body, `${key} = ${value}`)],
    };
  if (schema !== undefined && !schema.forms.includes('value'))
    yield { what: `Add ${example}`, edits: [withEntry(analysis.syntax.text, named.body, example)] };
  if (key === 'model' || key === 'devices') yield* fromStandard(mistake, key, named.body);
  // What asks for the key may go instead.
  if (key === 'on') {
    const replicate = named.body.entries.find(
      (entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'replicate',
    );
    if (replicate !== undefined)
      yield { what: 'Remove "replicate"', edits: [withoutNode(analysis.syntax, replicate)], last: true };
  }
}

/** What a cluster of the file says of its hosts: in its nodes, if it has any. */
function* ofHost({ syntax }: Analysis, block: string, example: string): Generator<Repair> {
  const name = /cluster "([^"]*)"/.exec(block)?.[1];
  for (const { body, label } of bodiesOf(syntax)) {
    if (label !== `cluster "${name}"`) continue;
    const node = body.entries.find(
      (entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'node' && entry.body !== undefined,
    );
    yield { what: `Add ${example} to ${label}`, edits: [withEntry(syntax.text, node?.body ?? body, example)] };
  }
}

/** All keys that are missing, each with its likeliest value; stages also with fewer. */
function* allKeys(analysis: Analysis, body: Block, block: BlockName, keys: readonly string[]): Generator<Repair> {
  const { syntax } = analysis;
  const parts = keys.map((key) => ({ key, ...valuesWithImport(analysis, block, key) }));
  const imports = parts.flatMap(({ exported }) => (exported === undefined ? [] : [withImport(syntax, exported)]));
  const separator = syntax.text.slice(body.start, body.end).includes('\n')
    ? `${lineBreak(syntax.text)}${indentOf(syntax.text, body.entries.at(-1)?.start ?? body.start)}${body.entries.length === 0 ? '  ' : ''}`
    : '  ';
  const most = Math.max(...parts.map(({ values }) => values.length));
  for (let choice = 0; choice < most; choice += 1) {
    const entries = parts.map(({ key, values }) => `${key} = ${values[choice] ?? values[0] ?? '…'}`);
    yield {
      what: `Add ${list(entries)}`,
      edits: [...joined(imports), withEntry(syntax.text, body, entries.join(separator))],
    };
  }
}

/** Values of one key; a model and a cluster of the standard files where the file has none. */
function valuesWithImport(
  analysis: Analysis,
  block: BlockName,
  key: string,
): { readonly values: readonly string[]; readonly exported?: Exported } {
  const kind = key === 'model' ? 'model' : key === 'devices' ? 'cluster' : undefined;
  if (block === 'pipeline' && kind !== undefined && namesOf(analysis, kind).length === 0) {
    const exported = standardNames().find((each) => each.kind === kind);
    return exported === undefined ? { values: [] } : { values: [exported.name], exported };
  }
  const schema = findKey(block, key);
  return { values: schema === undefined ? [] : valuesOfKey(analysis, schema, key === 'stages' ? mostValues : 1) };
}

/** A backward takes about twice its forward, half of it for each gradient. */
function halves(body: Parameters<typeof valueOf>[0], key: string): readonly string[] {
  const times = (name: string, factor: number): readonly string[] => {
    const value = valueOf(body, name);
    if (value?.kind !== 'quantity') return [];
    return [`${Number((value.value * factor).toPrecision(6))}${value.unit}`];
  };
  if (key === 'backward') return times('forward', 2);
  if (key === 'backward_weight') return [...times('backward_input', 1), ...times('forward', 1)];
  if (key === 'backward_input') return [...times('backward_weight', 1), ...times('forward', 1)];
  return [];
}

/** Devices that a stage may be on. */
const places = ({ resolution }: Analysis): readonly string[] => {
  const most = Math.max(0, ...resolution.plan.pipelines.map(({ devices }) => devices.length));
  return ['gpu[0..1]', ...Array.from({ length: Math.min(4, most || 2) }, (_, index) => `gpu[${index}]`)];
};

/** A cluster or model of the standard files. */
function* fromStandard(
  { analysis }: Mistake,
  key: 'model' | 'devices',
  body: Parameters<typeof withEntry>[1],
): Generator<Repair> {
  const exported = standardNames().find(({ kind }) => kind === (key === 'model' ? 'model' : 'cluster'));
  if (exported === undefined) return;
  yield {
    what: `Add ${key} = ${exported.name} from "${exported.path}"`,
    edits: [withImport(analysis.syntax, exported), withEntry(analysis.syntax.text, body, `${key} = ${exported.name}`)],
    last: true,
  };
}

/** An argument: by its name with an example, or the whole call as the example writes it. */
function* inCall({ analysis, finding }: Mistake, key: string, example: string): Generator<Repair> {
  const { syntax } = analysis;
  const { path } = siteAt(syntax, finding.place.start);
  const call = path.findLast((node): node is Call | Index => node.kind === 'call' || node.kind === 'index');
  if (call === undefined) return;
  const value = valueIn(example, key);
  if (call.kind === 'call' && example.startsWith(`${call.callee.text}(`) && call.arguments.length === 0)
    yield { what: `Write ${example}`, edits: [replaced(call, example)] };
  const last = call.arguments.at(-1);
  const at = last?.end ?? call.end - 1;
  const comma = last === undefined ? '' : ', ';
  const named = (text: string): Repair => ({
    what: `Add ${key} = ${text}`,
    edits: [inserted(at, `${comma}${key} = ${text}`)],
    group: key,
  });
  if (!value.includes('(')) yield named(value);
  if (call.kind === 'index') return;
  const inside = /\((.*)\)$/.exec(value)?.[1];
  if (inside !== undefined && !inside.includes('=')) yield named(inside);
  for (const text of ['1', '8', '1024', ...Object.values(exampleOf), '[B, F]', '[1]']) yield named(text);
}

/** What an example gives a key: `4096` in `transformer(hidden = 4096, heads = 32)`. */
function valueIn(example: string, key: string): string {
  const named = new RegExp(`\\b${key} = ([^,()\\[\\]]+|\\[[^\\]]*\\])`).exec(example)?.[1];
  return named ?? (example.includes('= ') ? example.slice(example.indexOf('= ') + 2) : example);
}

/** The name of a function that needs arguments, without parentheses. */
function* inName({ analysis, finding }: Mistake, key: string, example: string): Generator<Repair> {
  const { start, end } = finding.place;
  const name = analysis.syntax.text.slice(start, end);
  if (example.startsWith(`${name}(`)) yield { what: `Write ${example}`, edits: [replaced(finding.place, example)] };
  for (const text of [valueIn(example, key), '1', '8', ...Object.values(exampleOf)])
    yield { what: `Add ${key} = ${text}`, edits: [inserted(end, `(${key} = ${text})`)], group: key };
}
