/** Operations moved within a row, which is then written out. */
import { describe, expect, it } from 'vitest';
import {
  methods,
  type MoveInRowAnswer,
  type MovedInRow,
  type MoveInRowRequest,
} from '../../../webview/protocol/requests.ts';
import { applyEdits, main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

/** 1F1B over four devices. */
const rows = `schedule mine {
  let warm(d) = devices - d
  row(d) = F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]
}
`;
const lastRow =
  'row(3) = F[0], B[0], F[1], B[1], F[2], B[2], F[3], B[3], F[4], B[4], F[5], B[5], F[6], B[6], F[7], B[7]';
const to = (kind: string, microbatch: number, place: number, stage = 3): MovedInRow => ({
  kind,
  stage,
  microbatch,
  to: place,
});

const moved = (source: string, moves: readonly MovedInRow[], more: Partial<MoveInRowRequest> = {}) =>
  withClient(async (client) => {
    client.open(main, source);
    const request: MoveInRowRequest = { uri: main, pipeline: 'mine', device: 3, moves, ...more };
    const answer = await client.request<MoveInRowAnswer | null>(methods.moveInRow, request);
    return answer && { ...answer, after: answer.edit === undefined ? undefined : applyEdits(source, [answer.edit]) };
  });
const withRow = (row: string): string => rows.replace('\n}', `\n  ${row}\n}`);

describe('a row', () => {
  it('is written out for the shape on show, behind the row of all devices', async () => {
    const answer = await moved(rows, [to('F', 1, 1)]);
    const written = lastRow.replace('F[0], B[0], F[1], B[1]', 'F[0..1], B[0..1]');
    expect(answer?.text).toBe(written);
    expect(answer?.after).toBe(withRow(written));
    expect(answer?.note).toBe(
      'Writes row(3) out for 4 devices and 8 microbatches. Other shapes then need another row(3).',
    );
    expect(answer?.problem).toBeUndefined();
  });

  it('of the device itself is replaced; moves follow each other', async () => {
    const answer = await moved(withRow(lastRow), [to('F', 1, 1), to('F', 2, 2)]);
    expect(answer?.after).toBe(withRow(lastRow.replace('F[0], B[0], F[1], B[1], F[2], B[2]', 'F[0..2], B[0..2]')));
  });

  it('of another shape, if another one is on show', async () => {
    const overrides = { 'mine.devices': 2, 'mine.microbatches': 3 };
    const answer = await moved(rows, [to('F', 2, 1, 1)], { overrides, device: 1 });
    expect(answer?.text).toBe('row(1) = F[0], F[2], B[0], F[1], B[1..2]');
    expect(answer?.note).toContain('2 devices and 3 microbatches');
  });

  it('of a pipeline names its stages if a device has several', async () => {
    const source = `${toy.replace('= 1f1b', '= mine').replace('balance(4)', 'balance(8)')}schedule mine {
  placement = loop(2)
  row(d) = F[0..<microbatches, chunk = 0], F[0..<microbatches, chunk = 1], B[0..<microbatches, chunk = 1], B[0..<microbatches, chunk = 0]
}
`;
    const answer = await moved(source, [to('F', 0, 1, 7)], { pipeline: 'train' });
    expect(answer?.text).toBe(
      'row(3) = F[0, stage = 3], F[0, stage = 7], F[1..7, stage = 3], F[1..7, stage = 7], B[0..7, stage = 7], B[0..7, stage = 3]',
    );
    expect(answer?.problem).toBeUndefined();
  });
});

describe('a move that cannot be', () => {
  it('says why: a deadlock', async () => {
    const answer = await moved(rows, [to('B', 0, 0)]);
    expect(answer?.problem).toMatch(/Deadlock/);
  });

  it('is refused for orders that no row can say', async () => {
    const slots = 'schedule mine { slot(F, s, j) = 2 * j + s\n slot(B, s, j) = 2 * j + 2 * devices - 1 - s\n }\n';
    expect(await moved(slots, [to('F', 1, 1)])).toBeNull();
    const fused = 'schedule mine { row(d) = F[0..<microbatches], fused(B[0..<microbatches], []) }\n';
    expect((await moved(fused, [to('F', 1, 0)]))?.problem).toBeUndefined();
    const pairs = `schedule mine {
  require devices == 1
  row(d) = F[0], fused(F[1..<microbatches], B[0..<microbatches-1]), B[microbatches-1]
}
`;
    expect((await moved(pairs, [to('F', 1, 0, 0)], { device: 0 }))?.problem).toContain('fused');
    const parts =
      'schedule mine { parts = 2\n row(d) = F[0..<microbatches, part = 0..1], B[0..<microbatches, part = 1..0 step -1] }\n';
    expect((await moved(parts, [to('F', 1, 0)]))?.problem).toContain('parts');
  });

  it('is not asked for: no such device, operation or schedule', async () => {
    expect(await moved(rows, [to('F', 99, 1)])).toBeNull();
    expect(await moved(rows, [to('F', 1, 1)], { device: 9 })).toBeNull();
    expect(await moved(rows, [to('F', 1, 1)], { pipeline: 'other' })).toBeNull();
    expect(await moved(toy, [to('F', 1, 1)], { pipeline: 'train' })).toBeNull();
  });
});
