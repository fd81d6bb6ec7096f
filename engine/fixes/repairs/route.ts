import { table } from '../../basics/table.ts';
import { parametersOf } from '../../findings/finding.ts';
import { entriesOf, valueOf } from '../source.ts';
import { withEntry } from './edits.ts';
import { standardNames } from '../../language/exported.ts';
import { withImport } from './exports.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { bodiesOf, siteAt } from './site.ts';

/** A link: of the kind that the file uses elsewhere, a usual one, or one of the standard links. */
export const unknownRoute: Repairer = { repairs, ranked: undefined };

/** Common links between devices of one machine and between machines. A single NVLink is none: devices on switches have 12 or 18. */
const common = ['pcie4x16', 'ib_ndr_400', 'ib_hdr_200'];

/** GB/s that transfers reach over the NVSwitches of a machine, by its devices (`std:clusters` has the sources). */
const switched: Readonly<Record<string, number>> = table({
  a100_40: 235,
  a100_80: 235,
  h100: 370,
  h200: 370,
  b200: 720,
});

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const { text } = syntax;
  const parameters = parametersOf(finding, 'device/unknown-route');
  const { declaration } = siteAt(syntax, finding.place.start);
  const devices = declaration?.body === undefined ? undefined : valueOf(declaration.body, 'devices');
  if (parameters === undefined || devices?.kind !== 'name') return;
  const { from, to } = parameters;
  const cluster = syntax.declarations.find(
    (each) => each.kind === 'block' && each.keyword.text === 'cluster' && each.name?.text === devices.text,
  );
  if (cluster?.kind !== 'block' || cluster.body === undefined) return;
  const { body } = cluster;
  const links = new Set<string>();
  for (const each of bodiesOf(syntax))
    for (const entry of entriesOf(each.body, 'link')) {
      const [value] = entry.values ?? [];
      if (value !== undefined && value.kind !== 'missing') links.add(text.slice(value.start, value.end));
    }
  const pair = [from, to].some((end) => end.includes(' ')) ? undefined : `link ${from} -- ${to} =`;
  for (const link of [...links].slice(0, 2)) {
    if (entriesOf(body, 'link').every(({ ends }) => ends !== undefined))
      yield { what: `Add link = ${link} to all devices`, edits: [withEntry(text, body, `link = ${link}`)] };
    if (pair !== undefined) yield { what: `Add ${pair} ${link}`, edits: [withEntry(text, body, `${pair} ${link}`)] };
  }
  for (const entry of entriesOf(body, 'gpu')) {
    const [value] = entry.values ?? [];
    const rate = value?.kind === 'name' && Object.hasOwn(switched, value.text) ? switched[value.text] : undefined;
    if (rate === undefined || value?.kind !== 'name') continue;
    const link = `link = ${rate}GB/s + 3.4us`;
    yield { what: `Add ${link}, the NVSwitches of ${value.text}`, edits: [withEntry(text, body, link)] };
  }
  const standard = standardNames().filter(({ kind, path }) => kind === 'let' && path === 'std:hardware');
  const known = common.flatMap((name) => standard.find((exported) => exported.name === name) ?? []);
  for (const exported of known.slice(0, 3)) {
    yield {
      what: `Add link = ${exported.name} from "${exported.path}"`,
      edits: [withImport(syntax, exported), withEntry(text, body, `link = ${exported.name}`)],
    };
  }
  const usual = '25GB/s + 5us';
  if (!links.has(usual)) yield { what: `Add link = ${usual}`, edits: [withEntry(text, body, `link = ${usual}`)] };
  if (pair !== undefined) yield { what: `Add ${pair} ${usual}`, edits: [withEntry(text, body, `${pair} ${usual}`)] };
}
