/** Reads what a preview page posts. The page shows text of other people's files, so every field is checked. */
import type { FromPage, PreviewState } from '../../webview/protocol/messages.ts';

const longest = 4096;
const mostOverrides = 1000;

/** The message, or undefined where it is none of the protocol's. */
export function readFromPage(raw: unknown): FromPage | undefined {
  if (!isRecord(raw)) return undefined;
  switch (raw['type']) {
    case 'ready':
      return { type: 'ready', state: readState(raw['state']) };
    case 'reveal': {
      const { path, preserveFocus } = raw;
      return isText(path) && typeof preserveFocus === 'boolean' ? { type: 'reveal', path, preserveFocus } : undefined;
    }
    case 'try': {
      const overrides = readOverrides(raw['overrides']);
      return overrides === undefined ? undefined : { type: 'try', overrides };
    }
    case 'apply': {
      const { name, value } = raw;
      return isText(name) && isFigure(value) ? { type: 'apply', name, value } : undefined;
    }
    case 'error': {
      const { message } = raw;
      return typeof message === 'string' ? { type: 'error', message: message.slice(0, longest) } : undefined;
    }
    default:
      return undefined;
  }
}

/** What a page kept over a reload. Members that are not usable are left out; without a uri there is no state. */
export function readState(raw: unknown): PreviewState | undefined {
  if (!isRecord(raw) || !isText(raw['uri'])) return undefined;
  const { uri, pipeline, colours, criticalPath } = raw;
  const figure = (name: string) => (isFigure(raw[name]) ? raw[name] : undefined);
  return {
    uri,
    pipeline: isText(pipeline) ? pipeline : undefined,
    t0: figure('t0'),
    t1: figure('t1'),
    scroll: figure('scroll'),
    rowHeight: figure('rowHeight'),
    colours: colours === 'operation' || colours === 'microbatch' || colours === 'chunk' ? colours : undefined,
    criticalPath: typeof criticalPath === 'boolean' ? criticalPath : undefined,
    overrides: readOverrides(raw['overrides']),
  };
}

function readOverrides(raw: unknown): Readonly<Record<string, number>> | undefined {
  if (!isRecord(raw)) return undefined;
  const entries = Object.entries(raw);
  if (entries.length > mostOverrides || !entries.every(([name, value]) => isText(name) && isFigure(value)))
    return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longest;
const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
