/**
 * Finds the events of a trace in its bytes. A trace may be larger than a string can be, so only events with a wanted name become
 * JSON values, and no more than the bytes of one event are kept. Kineto writes an object whose `traceEvents` holds the events;
 * other programs write the list alone.
 */
import { asciiText, endOfValue, type Place, skipSpace, valueAt } from './bytes.ts';

/** Most bytes of one event, and of another value of the trace. */
export const mostEventBytes = 1 << 20;
const mostValueBytes = 1 << 22;

export interface ScanFault extends Place {
  readonly message: string;
}

export interface Sink {
  /** Whether the event is needed; both are cut after some characters. */
  wants(name: string, category: string): boolean;
  event(value: unknown, place: Place): ScanFault | undefined;
  /** Another value of the trace, as JSON. */
  header(key: string, json: string): void;
}

export interface Scanner {
  /** Bytes that follow. Answers the first fault, after which nothing is read. */
  push(chunk: Uint8Array): ScanFault | undefined;
  /** The file ends here. */
  end(): ScanFault | undefined;
}

const [openBrace, closeBrace, openBracket, closeBracket, comma, colon, quote] = [...'{}[],:"'].map((character) =>
  character.charCodeAt(0),
);

type State = 'start' | 'key' | 'afterValue' | 'event' | 'afterEvent' | 'done';

export function scanner(sink: Sink): Scanner {
  let rest: Uint8Array = new Uint8Array(0);
  let state: State = 'start';
  let listAlone = false;
  let seen = false;
  let fault: ScanFault | undefined;
  const place = { line: 0, character: 0 };

  /** Reads what is whole, and answers where the first part that is not begins. */
  function advance(bytes: Uint8Array, ended: boolean): number {
    let at = 0;
    for (;;) {
      const from = skipSpace(bytes, at, place);
      at = from;
      if (from >= bytes.length) return from;
      const stop = next(bytes, from, ended);
      if (stop < 0 || fault !== undefined) return from;
      at = stop;
    }
  }

  function damaged(message: string): number {
    fault ??= { ...place, message };
    return -1;
  }

  const step = (by: number, then: State): number => {
    place.character += 1;
    state = then;
    return by + 1;
  };

  /** One token, or one value; negative while it is not whole. */
  function next(bytes: Uint8Array, at: number, ended: boolean): number {
    const byte = bytes[at];
    switch (state) {
      case 'start':
        if (byte === 0xef && bytes[at + 1] === 0xbb) return at + 3;
        if (byte === openBrace) return step(at, 'key');
        if (byte !== openBracket) return damaged('This is not a trace: it begins with neither "{" nor "[".');
        listAlone = true;
        return step(at, 'event');
      case 'key':
        if (byte === closeBrace) return step(at, 'done');
        return member(bytes, at, ended);
      case 'afterValue':
        if (byte === closeBrace) return step(at, 'done');
        return byte === comma ? step(at, 'key') : damaged('Expected "," or "}" after a value of the trace.');
      case 'event':
        if (byte === closeBracket) return step(at, listAlone ? 'done' : 'afterValue');
        if (byte !== openBrace) return damaged('Expected an event, which begins with "{".');
        return event(bytes, at);
      case 'afterEvent':
        if (byte === closeBracket) return step(at, listAlone ? 'done' : 'afterValue');
        return byte === comma ? step(at, 'event') : damaged('Expected "," or "]" after an event.');
      default:
        return damaged('Expected the end of the file after the trace.');
    }
  }

  function member(bytes: Uint8Array, at: number, ended: boolean): number {
    if (bytes[at] !== quote) return damaged('Expected the name of a value of the trace.');
    const before = { ...place };
    const afterKey = endOfValue(bytes, at, place, mostValueBytes);
    const afterColon = afterKey < 0 ? -1 : skipSpace(bytes, afterKey, place);
    if (afterKey < 0 || afterColon >= bytes.length) return incomplete(bytes, at, before, mostValueBytes);
    if (bytes[afterColon] !== colon) return damaged('Expected ":" after the name of a value.');
    place.character += 1;
    const from = skipSpace(bytes, afterColon + 1, place);
    const key = asciiText(bytes, at + 1, afterKey - 1);
    if (key === 'traceEvents' && bytes[from] === openBracket) {
      seen = true;
      return step(from, 'event');
    }
    const stop = endOfValue(bytes, from, place, mostValueBytes);
    if (stop < 0 || (stop >= bytes.length && !ended)) return incomplete(bytes, at, before, mostValueBytes);
    sink.header(key, asciiText(bytes, from, stop));
    state = 'afterValue';
    return stop;
  }

  function event(bytes: Uint8Array, at: number): number {
    const before = { ...place };
    const names = { name: '', category: '' };
    const stop = endOfValue(bytes, at, place, mostEventBytes, names);
    if (stop < 0) return incomplete(bytes, at, before, mostEventBytes);
    state = 'afterEvent';
    if (!sink.wants(names.name, names.category)) return stop;
    const value = valueAt(bytes, at, stop);
    if (value === undefined) {
      fault ??= { ...before, message: 'This event is not JSON.' };
      return -1;
    }
    fault ??= sink.event(value, before);
    return fault === undefined ? stop : -1;
  }

  function incomplete(bytes: Uint8Array, at: number, before: Place, most: number): number {
    place.line = before.line;
    place.character = before.character;
    if (bytes.length - at <= most) return -1;
    return damaged(`This value has more than ${most / (1 << 20)} MiB, or is nested more than 64 deep.`);
  }

  function read(bytes: Uint8Array, ended: boolean): ScanFault | undefined {
    const stop = advance(bytes, ended);
    rest = bytes.subarray(stop);
    return fault;
  }

  return {
    push(chunk) {
      if (fault !== undefined) return fault;
      if (rest.length === 0) return read(chunk, false);
      const bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      return read(bytes, false);
    },
    end() {
      if (fault !== undefined || read(rest, true) !== undefined) return fault;
      if (state !== 'done') {
        fault = { ...place, message: 'The file ends in the middle of the trace.' };
      } else if (!seen && !listAlone) {
        fault = { line: 0, character: 0, message: 'This JSON has no "traceEvents": it is not a trace.' };
      }
      return fault;
    },
  };
}
