import { parametersOf } from '../../findings/finding.ts';
import { entriesOf, valueOf } from '../source.ts';
import { withEntry } from './edits.ts';
import { standardNames, withImport } from './exports.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { bodiesOf, siteAt } from './site.ts';

/** A link: of the kind that the file uses elsewhere, a usual one, or one of the standard links. */
export const unknownRoute: Repairer = { repairs, ranked: undefined };

/** Common links between devices of one machine and between machines. */
const common = ['nvlink4_link', 'pcie4x16', 'ib_ndr_400', 'ib_hdr_200'];

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
