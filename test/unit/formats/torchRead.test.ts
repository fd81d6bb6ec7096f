import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { importTorch } from '../../../engine/formats/torchCsv/import.ts';
import { readTorchCsv } from '../../../engine/formats/torchCsv/read.ts';
import { cellText, dialectOf } from '../../../engine/formats/torchCsv/table.ts';
import { writeTorchCsv } from '../../support/torchCsv.ts';
import { defective, golden, goldens, scheduleFrom, sound, tableFrom } from './torch.ts';

describe('reading and writing', () => {
  test.each([...goldens])('%s comes back byte for byte, with any line end', (_, text) => {
    for (const lineEnd of ['\r\n', '\n', '\r']) {
      const one = text.replaceAll(/\r?\n/g, lineEnd);
      for (const variant of [text, one, one.slice(0, -lineEnd.length)])
        expect(writeTorchCsv(tableFrom(variant).table)).toBe(variant);
    }
  });

  test('each cell stands where its place says', () => {
    for (const text of goldens.values()) {
      const { table, places } = tableFrom(text);
      for (const [row, cells] of table.rows.entries())
        for (const [column, cell] of cells.entries()) {
          const { start, end } = places.at(row, column);
          expect(text.slice(start, end)).toBe(cellText(cell));
        }
    }
  });

  test('dialects are told apart', () => {
    expect(dialectOf(tableFrom(golden('ZBVZeroBubble_p4_m8_v2_compute')).table)).toBe('compute_only');
    expect(dialectOf(tableFrom(golden('ZBVZeroBubble_p4_m8_v2_comms')).table)).toBe('compute_comms');
    expect(dialectOf(tableFrom(golden('GPipe_p4_m8_v1_compute')).table)).toBe('single_stage');
  });

  test('a row of one blank is what csv.writer makes of it, and a row of none stays empty', () => {
    for (const text of ['""\r\n0F0\r\n', '\r\n0F0\r\n', '0F0,\r\n'])
      expect(writeTorchCsv(tableFrom(text).table)).toBe(text);
  });

  test('fused cells', () => {
    const text = '0F0,(0F1;0B0)OVERLAP_F_B,0B1\r\n';
    expect(tableFrom(text).table.rows[0][1]).toMatchObject({ kind: 'fused', actions: [{ type: 'F' }, { type: 'B' }] });
    expect(writeTorchCsv(tableFrom(text).table)).toBe(text);
  });

  test.each([
    ['spaces', ' 0F0 ,0B0', 'Cells have spaces around them.'],
    ['quotes', '"0F0",0B0\n', 'Cells are in quotes.'],
    ['line ends', '0F0,0B0\n1F0,1B0\r\n', 'The rows have different line endings.'],
    ['a mark', '\ufeff0F0,0B0\n', 'The file begins with a byte-order mark.'],
  ])('%s are read and remarked on', (_, text, remark) => {
    expect(readTorchCsv(text)).toMatchObject({ remarks: [remark] });
  });

  test.each([
    ['0F', 'names no microbatch'],
    ['0UNSHARD1', 'applies to a whole stage'],
    ['F0', 'is not an action'],
    ['0F0x', 'is not an action'],
    ['-1F0', 'negative stage'],
    ['0X0', 'is not an action'],
    ['(0F0;0B0)', 'is not an action'],
    ['(0F0;0B0;0F1)OVERLAP_F_B', 'is not an action'],
    ['(0F0;0UNSHARD)OVERLAP_F_B', 'not a compute operation'],
    ['99999999999F0', 'too large'],
  ])('%s is refused at its cell', (cell, message) => {
    const text = `0F0,0B0\r\n1F0,${cell},1B0\r\n`;
    const read = readTorchCsv(text);
    expect(read).toMatchObject({ faults: [{ row: 1, column: 1, message: expect.stringContaining(message) }] });
    const [fault] = 'faults' in read ? read.faults : [];
    expect(text.slice(fault?.start, fault?.end)).toBe(cell);
  });

  test('no text is too strange', () => {
    const cells = fc.constantFrom(
      '0F0',
      '1B0',
      ',',
      ',',
      '\r\n',
      '\n',
      '\r',
      '"',
      '(',
      ';',
      ')OVERLAP_F_B',
      ' ',
      '0UNSHARD',
      '9',
      'BW',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(cells, { maxLength: 40 }).map((all) => all.join('')),
        ),
        (text) => {
          const result = importTorch(text);
          for (const fault of 'faults' in result ? result.faults : []) {
            expect(fault.start).toBeGreaterThanOrEqual(0);
            expect(fault.end).toBeGreaterThanOrEqual(fault.start);
            expect(fault.end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('known defects', () => {
  test('Schedule1F1B: its last rank counts forwards from 1', () => {
    const result = importTorch(golden(defective));
    expect(result).toMatchObject({ faults: [{ row: 3, column: 14, repair: 'shifted-forwards' }] });
    const [fault] = 'faults' in result ? result.faults : [];
    expect(fault?.message).toContain('`3F8`');
    expect(fault?.message).toContain('`3F0` is missing');
    const repaired = 'faults' in result ? (result.repaired ?? '') : '';
    const mended = golden(defective).replaceAll(/\b3F(\d)/g, (_, microbatch) => `3F${Number(microbatch) - 1}`);
    expect(repaired).toBe(mended);
    expect(scheduleFrom(repaired).shape).toMatchObject({ stages: 4, microbatches: 8 });
  });

  test.each(sound.filter((name) => name.startsWith('ZBV')))('old letters of %s are recognised and migrated', (name) => {
    // In old files I was B, and the whole backward was BW.
    const old = golden(name).replaceAll(/(\d+)I(\d+)/g, '$1B$2');
    const whole = golden('Interleaved1F1B_p4_m8_v2_compute').replaceAll(/(\d+)B(\d+)/g, '$1BW$2');
    for (const [text, now] of [
      [old, golden(name)],
      [whole, golden('Interleaved1F1B_p4_m8_v2_compute')],
    ]) {
      const result = importTorch(text);
      expect(result).toMatchObject({ repaired: now });
      expect('faults' in result && result.faults[0]?.repair).toBe('old-letters');
    }
  });
});
