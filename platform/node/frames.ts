/** Messages of a byte stream, as the base protocol of LSP frames them: header fields, an empty line, JSON in UTF-8. */
import type { Readable } from 'node:stream';
import { Emitter, ErrorCodes, Message, type MessageReader, type PartialMessageInfo } from 'vscode-languageserver/node';

/** A frame that is no message. */
export interface FrameFault {
  readonly code: number;
  readonly message: string;
  /** Of the request that the frame was meant to be; null if it has none. */
  readonly id: string | number | null;
  /** The start of the next frame is unknown, so nothing more can be read. */
  readonly fatal: boolean;
}

/** Bytes of one header and of one message at most. */
const longestHeader = 8 * 1024;
const longestMessage = 256 * 1024 * 1024;
const headerEnd = '\r\n\r\n';

/** Reads `input`. What cannot be read goes to `refuse`; after a fatal fault nothing more is read. */
export function readFrames(input: Readable, refuse: (fault: FrameFault) => void): MessageReader {
  const errors = new Emitter<Error>();
  const closes = new Emitter<void>();
  const partial = new Emitter<PartialMessageInfo>();
  let chunks: Buffer[] = [];
  let size = 0;
  /** Bytes that the next step needs. */
  let needed = 1;
  let body: { readonly length: number; readonly problem?: string } | undefined;
  let broken = false;

  function take(count: number): Buffer {
    const all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size);
    chunks = count < all.length ? [all.subarray(count)] : [];
    size -= count;
    return all.subarray(0, count);
  }

  function fail(message: string): void {
    broken = true;
    chunks = [];
    refuse({ code: ErrorCodes.ParseError, message, id: null, fatal: true });
  }

  /** One step: the next header or the next body. False when more bytes must come first. */
  function step(callback: (message: Message) => void): boolean {
    if (broken || size < needed) return false;
    if (body === undefined) return readHeader();
    const { length, problem } = body;
    const bytes = take(length);
    body = undefined;
    needed = 1;
    if (problem === undefined) deliver(bytes, callback);
    else refuse({ code: ErrorCodes.InvalidRequest, message: problem, id: null, fatal: false });
    return true;
  }

  function readHeader(): boolean {
    const all = take(size);
    chunks = [all];
    size = all.length;
    const end = all.subarray(0, longestHeader).indexOf(headerEnd);
    if (end < 0) {
      needed = size + 1;
      if (size >= longestHeader) fail(`A header has no empty line within ${longestHeader} bytes.`);
      return false;
    }
    const header = headerOf(take(end + headerEnd.length).toString('ascii', 0, end));
    if (typeof header === 'string') {
      fail(header);
      return false;
    }
    body = header;
    needed = header.length;
    return true;
  }

  function deliver(bytes: Buffer, callback: (message: Message) => void): void {
    const read = messageOf(bytes);
    if ('code' in read) {
      refuse(read);
      return;
    }
    try {
      callback(read.message);
    } catch (error) {
      errors.fire(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    onError: errors.event,
    onClose: closes.event,
    onPartialMessage: partial.event,
    listen(callback) {
      const onData = (chunk: Buffer): void => {
        if (broken) return;
        chunks.push(chunk);
        size += chunk.length;
        while (step(callback));
      };
      const onError = (error: Error): void => errors.fire(error);
      const onClose = (): void => closes.fire();
      input.on('data', onData).on('error', onError).on('close', onClose);
      return {
        dispose: () => void input.off('data', onData).off('error', onError).off('close', onClose),
      };
    },
    dispose() {
      errors.dispose();
      closes.dispose();
      partial.dispose();
    },
  };
}

/** The length that a header gives, with what speaks against its body; a sentence if it gives none. */
function headerOf(text: string): { readonly length: number; readonly problem?: string } | string {
  let length: number | undefined;
  let problem: string | undefined;
  for (const line of text.split('\r\n')) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === '') return 'A header line is not of the form "Name: value".';
    if (name.toLowerCase() === 'content-length') {
      if (length !== undefined) return 'A header has two Content-Length lines.';
      if (!/^\d+$/.test(value)) return 'A Content-Length is not a number of bytes.';
      length = Number(value);
    } else if (name.toLowerCase() === 'content-type') {
      const charset = /;\s*charset\s*=\s*"?([^";]*)"?/i.exec(value)?.[1]?.trim().toLowerCase();
      if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
        problem = 'A message is not in UTF-8, the only encoding of the protocol.';
    }
  }
  if (length === undefined) return 'A header has no Content-Length.';
  if (length > longestMessage) return `A message has over ${longestMessage} bytes, which is the limit.`;
  return { length, problem };
}

function messageOf(bytes: Buffer): { readonly message: Message } | FrameFault {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { code: ErrorCodes.ParseError, message: 'A message is not JSON.', id: null, fatal: false };
  }
  const invalid = (message: string, id: FrameFault['id'] = null): FrameFault => ({
    code: ErrorCodes.InvalidRequest,
    message,
    id,
    fatal: false,
  });
  if (Array.isArray(value)) return invalid('The protocol has no batches; send one message in each frame.');
  if (typeof value !== 'object' || value === null) return invalid('A message is not an object.');
  const message = value as Message;
  if (Message.isRequest(message) || Message.isNotification(message) || Message.isResponse(message)) return { message };
  const id = 'id' in value && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : null;
  return invalid('A message is neither a request nor a notification nor an answer.', id);
}
