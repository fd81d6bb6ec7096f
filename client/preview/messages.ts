/** Reads what a preview page posts. The page shows text of other people's files, so every field is checked. */
import type { FromPage } from '../../webview/protocol/messages.ts';
import type { MovedInRow } from '../../webview/protocol/requests.ts';
import { type Fields, isFields, isFigure, isName, readOverrides, readState } from '../../webview/protocol/state.ts';

const longestMessage = 4096;
const mostPaths = 100;
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

/** The message, or undefined where it is none of the protocol's. */
export function readFromPage(raw: unknown): FromPage | undefined {
  if (!isFields(raw)) return undefined;
  switch (raw['type']) {
    case 'ready':
      return { type: 'ready', state: readState(raw['state']) };
    case 'reveal': {
      const { path, preserveFocus } = raw;
      return isName(path) && typeof preserveFocus === 'boolean'
        ? { type: 'reveal', path, preserveFocus, ...(raw['explicit'] === true ? { explicit: true } : {}) }
        : undefined;
    }
    case 'try': {
      const overrides = readOverrides(raw['overrides']);
      return overrides === undefined ? undefined : { type: 'try', overrides };
    }
    case 'apply': {
      const { name, value } = raw;
      return isName(name) && isFigure(value) ? { type: 'apply', name, value } : undefined;
    }
    case 'lines': {
      const { request, paths } = raw;
      return isPlace(request) && Array.isArray(paths) && paths.length <= mostPaths && paths.every(isName)
        ? { type: 'lines', request, paths }
        : undefined;
    }
    case 'writeMissing': {
      const { pipeline } = raw;
      return isName(pipeline) ? { type: 'writeMissing', pipeline } : undefined;
    }
    case 'origin': {
      const { request, path } = raw;
      return isPlace(request) && isName(path) ? { type: 'origin', request, path } : undefined;
    }
    case 'help': {
      const { request, pipeline, about, device } = raw;
      const topic = topics.find((name) => name === about);
      return isPlace(request) && isName(pipeline) && topic !== undefined
        ? { type: 'help', request, pipeline, about: topic, ...(isPlace(device) ? { device } : {}) }
        : undefined;
    }
    case 'showFix':
    case 'applyFix': {
      const { type, request, index } = raw;
      return isPlace(request) && (isPlace(index) || index === -1) ? { type, request, index } : undefined;
    }
    case 'race': {
      const { request, pipeline, against } = raw;
      const wanted = againsts.find((name) => name === against);
      return isPlace(request) && isName(pipeline) && wanted !== undefined
        ? { type: 'race', request, pipeline, against: wanted }
        : undefined;
    }
    case 'sweep': {
      const { request, pipeline, name, values } = raw;
      return isPlace(request) && isName(pipeline) && isName(name) && isValues(values)
        ? { type: 'sweep', request, pipeline, name, values }
        : undefined;
    }
    case 'findPlan': {
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
    }
    case 'planView': {
      const { request, open } = raw;
      return isPlace(request) && typeof open === 'boolean' ? { type: 'planView', request, open } : undefined;
    }
    case 'stopPlan': {
      const { request } = raw;
      return isPlace(request) ? { type: 'stopPlan', request } : undefined;
    }
    case 'writePlan': {
      const { request, row } = raw;
      return isPlace(request) && isPlace(row) ? { type: 'writePlan', request, row } : undefined;
    }
    case 'showPlan': {
      const { request, row } = raw;
      return isPlace(request) && (isPlace(row) || row === -1) ? { type: 'showPlan', request, row } : undefined;
    }
    case 'savePlan': {
      const { request, format } = raw;
      return isPlace(request) && (format === 'csv' || format === 'json')
        ? { type: 'savePlan', request, format }
        : undefined;
    }
    case 'searchOrder': {
      const { request, pipeline, times } = raw;
      return isPlace(request) && isName(pipeline) && isFigure(times) && times > 0
        ? { type: 'searchOrder', request, pipeline, times }
        : undefined;
    }
    case 'stopOrder':
    case 'endOrder':
    case 'keepOrder': {
      const { type, request } = raw;
      return isPlace(request) ? { type, request } : undefined;
    }
    case 'endRace': {
      const { request } = raw;
      return isPlace(request) ? { type: 'endRace', request } : undefined;
    }
    case 'moveInRow': {
      const { request, pipeline, device, moves } = raw;
      return isPlace(request) && isName(pipeline) && isPlace(device) && isMoves(moves)
        ? { type: 'moveInRow', request, pipeline, device, moves }
        : undefined;
    }
    case 'moveSlot': {
      const { request, schedule, kind, stage, slot, alone } = raw;
      return isPlace(request) &&
        isName(schedule) &&
        isName(kind) &&
        isPlace(stage) &&
        isPlace(slot) &&
        typeof alone === 'boolean'
        ? { type: 'moveSlot', request, schedule, kind, stage, slot, alone }
        : undefined;
    }
    case 'endMove': {
      const { request, write } = raw;
      return isPlace(request) && typeof write === 'boolean' ? { type: 'endMove', request, write } : undefined;
    }
    case 'adopt': {
      const { request, index } = raw;
      return isPlace(request) && isPlace(index) ? { type: 'adopt', request, index } : undefined;
    }
    case 'goto': {
      const { line, character } = raw;
      return isPlace(line) && isPlace(character) ? { type: 'goto', line, character } : undefined;
    }
    case 'sync':
      return {
        type: 'sync',
        ...switchOf(raw, 'following'),
        ...switchOf(raw, 'outlineAtCursor'),
        ...switchOf(raw, 'revealOnClick'),
      };
    case 'export': {
      const { pipeline } = raw;
      const state = readState(raw['state']);
      return isName(pipeline) ? { type: 'export', pipeline, ...(state === undefined ? {} : { state }) } : undefined;
    }
    case 'restart':
      return { type: 'restart' };
    case 'openRenamed':
      return { type: 'openRenamed' };
    case 'close':
      return { type: 'close' };
    case 'insertExample': {
      const { name } = raw;
      return isName(name) ? { type: 'insertExample', name } : undefined;
    }
    case 'importSchedule':
      return { type: 'importSchedule' };
    case 'addPipeline':
      return { type: 'addPipeline' };
    case 'openExamples':
      return { type: 'openExamples' };
    case 'openGuide':
      return { type: 'openGuide' };
    case 'error': {
      const { message } = raw;
      return typeof message === 'string' ? { type: 'error', message: message.slice(0, longestMessage) } : undefined;
    }
    default:
      return undefined;
  }
}
