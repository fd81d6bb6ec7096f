/** Reads what a preview page posts. The page shows text of other people's files, so every field is checked. */
import type { FromPage } from '../../webview/protocol/messages.ts';
import type { MovedInRow } from '../../webview/protocol/requests.ts';
import { type Fields, isFields, isFigure, isName, readOverrides, readState } from '../../webview/protocol/state.ts';

const longestMessage = 4096;
const longestPicture = 2 ** 26;
const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestPicture && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
const mostPaths = 100;
const isPaths = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= mostPaths && value.every(isName);
const topics = ['bubble', 'memory', 'deadlock'] as const;

const againsts = ['policies', 'saved', 'committed', 'file'] as const;
const mostValues = 64;
const isValues = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length <= mostValues && value.every(isFigure);
const mostMoves = 1000;
const isMoves = (value: unknown): value is MovedInRow[] =>
  Array.isArray(value) &&
  value.length <= mostMoves &&
  value.every(
    (move) =>
      isFields(move) &&
      isName(move['kind']) &&
      isPlace(move['stage']) &&
      isPlace(move['microbatch']) &&
      isPlace(move['to']),
  );
const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const switchOf = <K extends string>(raw: Fields, name: K): { readonly [name in K]?: boolean } =>
  typeof raw[name] === 'boolean' ? ({ [name]: raw[name] } as { readonly [name in K]: boolean }) : {};

/** One reader for each message of the protocol: a message without one does not compile. */
const readers: {
  readonly [T in FromPage['type']]: (raw: Fields) => Extract<FromPage, { readonly type: T }> | undefined;
} = {
  ready: (raw) => ({ type: 'ready', state: readState(raw['state']) }),
  reveal: (raw) => {
    const { path, preserveFocus } = raw;
    return isName(path) && typeof preserveFocus === 'boolean'
      ? { type: 'reveal', path, preserveFocus, ...(raw['explicit'] === true ? { explicit: true } : {}) }
      : undefined;
  },
  try: (raw) => {
    const overrides = readOverrides(raw['overrides']);
    return overrides === undefined ? undefined : { type: 'try', overrides };
  },
  apply: ({ name, value }) => (isName(name) && isFigure(value) ? { type: 'apply', name, value } : undefined),
  lines: ({ request, paths }) => (isPlace(request) && isPaths(paths) ? { type: 'lines', request, paths } : undefined),
  writeMissing: ({ pipeline }) => (isName(pipeline) ? { type: 'writeMissing', pipeline } : undefined),
  origin: ({ request, path }) => (isPlace(request) && isName(path) ? { type: 'origin', request, path } : undefined),
  help: (raw) => {
    const { request, pipeline, about, device } = raw;
    const topic = topics.find((name) => name === about);
    return isPlace(request) && isName(pipeline) && topic !== undefined
      ? { type: 'help', request, pipeline, about: topic, ...(isPlace(device) ? { device } : {}) }
      : undefined;
  },
  showFix: ({ request, index }) =>
    isPlace(request) && (isPlace(index) || index === -1) ? { type: 'showFix', request, index } : undefined,
  applyFix: ({ request, index }) =>
    isPlace(request) && (isPlace(index) || index === -1) ? { type: 'applyFix', request, index } : undefined,
  race: (raw) => {
    const { request, pipeline, against } = raw;
    const wanted = againsts.find((name) => name === against);
    return isPlace(request) && isName(pipeline) && wanted !== undefined
      ? { type: 'race', request, pipeline, against: wanted }
      : undefined;
  },
  racePlan: ({ request, pipeline, search, row }) =>
    isPlace(request) && isName(pipeline) && isPlace(search) && isPlace(row)
      ? { type: 'racePlan', request, pipeline, search, row }
      : undefined,
  sweep: ({ request, pipeline, name, values }) =>
    isPlace(request) && isName(pipeline) && isName(name) && isValues(values)
      ? { type: 'sweep', request, pipeline, name, values }
      : undefined,
  findPlan: (raw) => {
    const { request, pipeline, more } = raw;
    const overrides = raw['overrides'] === undefined ? {} : readOverrides(raw['overrides']);
    return isPlace(request) && overrides !== undefined && (pipeline === undefined || isName(pipeline))
      ? {
          type: 'findPlan',
          request,
          ...(pipeline === undefined ? {} : { pipeline }),
          ...(more === true ? { more } : {}),
          ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
        }
      : undefined;
  },
  planView: ({ request, open }) =>
    isPlace(request) && typeof open === 'boolean' ? { type: 'planView', request, open } : undefined,
  stopPlan: ({ request }) => (isPlace(request) ? { type: 'stopPlan', request } : undefined),
  writePlan: ({ request, row }) => (isPlace(request) && isPlace(row) ? { type: 'writePlan', request, row } : undefined),
  showPlan: ({ request, row }) =>
    isPlace(request) && (isPlace(row) || row === -1) ? { type: 'showPlan', request, row } : undefined,
  savePlan: ({ request, format }) =>
    isPlace(request) && (format === 'csv' || format === 'json') ? { type: 'savePlan', request, format } : undefined,
  searchOrder: ({ request, pipeline, times }) =>
    isPlace(request) && isName(pipeline) && isFigure(times) && times > 0
      ? { type: 'searchOrder', request, pipeline, times }
      : undefined,
  stopOrder: ({ request }) => (isPlace(request) ? { type: 'stopOrder', request } : undefined),
  endOrder: ({ request }) => (isPlace(request) ? { type: 'endOrder', request } : undefined),
  keepOrder: ({ request }) => (isPlace(request) ? { type: 'keepOrder', request } : undefined),
  chooseBeside: () => ({ type: 'chooseBeside' }),
  chooseRun: ({ uris }) => (isPaths(uris) ? { type: 'chooseRun', uris } : { type: 'chooseRun' }),
  calibrate: ({ pipeline, replica }) =>
    isName(pipeline) && isPlace(replica) ? { type: 'calibrate', pipeline, replica } : undefined,
  endBeside: ({ pair }) => (isPlace(pair) ? { type: 'endBeside', pair } : undefined),
  revealBeside: ({ path }) => (isName(path) ? { type: 'revealBeside', path } : undefined),
  endRace: ({ request }) => (isPlace(request) ? { type: 'endRace', request } : undefined),
  moveInRow: ({ request, pipeline, device, moves }) =>
    isPlace(request) && isName(pipeline) && isPlace(device) && isMoves(moves)
      ? { type: 'moveInRow', request, pipeline, device, moves }
      : undefined,
  moveSlot: ({ request, schedule, kind, stage, slot, alone }) =>
    isPlace(request) &&
    isName(schedule) &&
    isName(kind) &&
    isPlace(stage) &&
    isPlace(slot) &&
    typeof alone === 'boolean'
      ? { type: 'moveSlot', request, schedule, kind, stage, slot, alone }
      : undefined,
  endMove: ({ request, write }) =>
    isPlace(request) && typeof write === 'boolean' ? { type: 'endMove', request, write } : undefined,
  adopt: ({ request, index }) => (isPlace(request) && isPlace(index) ? { type: 'adopt', request, index } : undefined),
  goto: ({ line, character }) => (isPlace(line) && isPlace(character) ? { type: 'goto', line, character } : undefined),
  sync: (raw) => ({
    type: 'sync',
    ...switchOf(raw, 'following'),
    ...switchOf(raw, 'outlineAtCursor'),
    ...switchOf(raw, 'revealOnClick'),
  }),
  export: (raw) => {
    const { pipeline, seconds } = raw;
    const state = readState(raw['state']);
    return isName(pipeline)
      ? {
          type: 'export',
          pipeline,
          ...(state === undefined ? {} : { state }),
          ...(isFigure(seconds) ? { seconds } : {}),
        }
      : undefined;
  },
  drawn: ({ request, base64 }) =>
    isPlace(request) && (base64 === undefined || isBase64(base64))
      ? { type: 'drawn', request, ...(base64 === undefined ? {} : { base64 }) }
      : undefined,
  copyLink: (raw) => {
    const state = readState(raw['state']);
    return state === undefined ? undefined : { type: 'copyLink', state };
  },
  restart: () => ({ type: 'restart' }),
  openRenamed: () => ({ type: 'openRenamed' }),
  close: () => ({ type: 'close' }),
  insertExample: ({ name }) => (isName(name) ? { type: 'insertExample', name } : undefined),
  importSchedule: () => ({ type: 'importSchedule' }),
  addPipeline: () => ({ type: 'addPipeline' }),
  openExamples: () => ({ type: 'openExamples' }),
  openGuide: () => ({ type: 'openGuide' }),
  error: ({ message }) =>
    typeof message === 'string' ? { type: 'error', message: message.slice(0, longestMessage) } : undefined,
};

/** The message, or undefined where it is none of the protocol's. */
export function readFromPage(raw: unknown): FromPage | undefined {
  if (!isFields(raw)) return undefined;
  const { type } = raw;
  return typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type as FromPage['type']](raw) : undefined;
}
