import type { Block } from '../../../grammar/syntax.ts';
import { standardFiles } from '../../std/index.ts';
import { numberAt } from '../candidates.ts';
import { entriesOf, freeName, valueOf } from '../source.ts';
import { replaced, withDeclaration } from './edits.ts';
import { standardNames } from '../../language/exported.ts';
import { withImport } from './exports.ts';
import type { Mistake, Repair } from './repair.ts';
import { siteAt } from './site.ts';
import { namesOf } from './values.ts';

/** Devices of a cluster if the pipeline does not say how many it needs. */
const usualDevices = 8;

/** `devices = h100`: a cluster of the file, a machine of the standard library with this device, or a new cluster of as many as the pipeline needs. */
export function* clusterOf({ analysis, finding: { place } }: Mistake): Generator<Repair> {
  const { syntax } = analysis;
  const device = syntax.text.slice(place.start, place.end);
  for (const cluster of namesOf(analysis, 'cluster'))
    yield { what: `Write ${cluster}`, edits: [replaced(place, cluster)] };
  for (const exported of standardNames()) {
    if (exported.kind !== 'cluster' || !hasDevice(exported.path, exported.name, device)) continue;
    yield {
      what: `Write ${exported.name} of ${exported.path}`,
      edits: [withImport(syntax, exported), replaced(place, exported.name)],
    };
  }
  const { within } = siteAt(syntax, place.start);
  const devices = within === undefined ? usualDevices : neededBy(analysis, within);
  const name = freeName(syntax, 'box');
  const written = `cluster ${name} { gpu[${devices}] = ${device}  link = 25GB/s + 5us }`;
  yield {
    what: `Declare ${written}`,
    edits: [withDeclaration(syntax, place.start, written), replaced(place, name)],
  };
}

/** Whether a cluster of the standard library names a device. */
function hasDevice(path: string, cluster: string, device: string): boolean {
  const text = standardFiles.get(path) ?? '';
  const from = text.indexOf(`\ncluster ${cluster} {`);
  const body = from < 0 ? '' : text.slice(from, text.indexOf('\n}', from));
  return body.includes(`= ${device}\n`);
}

/** Stages times the ranks of each, as far as they are plain numbers. */
function neededBy(analysis: Mistake['analysis'], body: Block): number {
  const cut = valueOf(body, 'stages');
  const stages = cut?.kind === 'call' ? numberAt(analysis, cut.arguments[0]?.value) : entriesOf(body, 'stage').length;
  const ranks = ['tensor', 'data', 'context'].map((key) => numberAt(analysis, valueOf(body, key)) ?? 1);
  const needed = ranks.reduce((product, each) => product * each, stages ?? 0);
  return Number.isInteger(needed) && needed > 0 ? needed : usualDevices;
}
