/** Reads a `switch` of a cluster or node: a name that links may end at, and perhaps its ports. */
import type { DeviceSet } from '../definitions/cluster.ts';
import type { Entry } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { missing, readKeys, valueOf } from '../language/keys.ts';
import type { LinkValue } from '../language/values.ts';
import { readEnd, switchEnd } from './deviceSet.ts';
import { readLink } from './link.ts';

export interface Switch {
  readonly symbol: string;
  readonly end: DeviceSet;
  /** What is linked to it, each over a separate link (or all over one link, if it is `shared`). */
  readonly ports?: { readonly devices: DeviceSet; readonly link: LinkValue };
}

/** `undefined` where something of it is wrong; that has been reported. */
export function readSwitch(context: ReadContext, entry: Entry): Switch | undefined {
  const { name } = entry;
  const symbol = name === undefined ? undefined : context.references.get(name.start)?.symbol;
  if (name === undefined || symbol === undefined) return undefined;
  const keys = readKeys(context, 'switch', entry.body, name);
  const [ports, link] = [keys.find('ports'), keys.find('link')];
  const end = switchEnd(symbol);
  if (ports === undefined && link === undefined) return keys.doubtful ? undefined : { symbol, end };
  if (ports === undefined || link === undefined) {
    if (!keys.doubtful) missing(context, 'switch', ports === undefined ? 'ports' : 'link', name);
    return undefined;
  }
  const ends = (ports.values ?? []).map((expression) => readEnd(context, expression));
  const value = valueOf(link);
  const read = value === undefined ? undefined : readLink(context, value);
  if (read === undefined || keys.doubtful || !ends.every((deviceSet) => deviceSet !== undefined)) return undefined;
  const devices: DeviceSet = {
    devices(...place) {
      const all = ends.map((deviceSet) => deviceSet.devices(...place));
      return all.every((candidate) => candidate !== undefined) ? all.flat() : undefined;
    },
  };
  return { symbol, end, ports: { devices, link: read } };
}
