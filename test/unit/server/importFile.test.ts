import { describe, expect, it } from 'vitest';
import { importFile } from '../../../server/requests/importFile.ts';
import { planOf } from '../../support/resolve.ts';

const uri = 'file:///schedule.csv';

describe('pipewright/import', () => {
  it('gives a PyTorch table as a complete .pipe text', () => {
    const answer = importFile({ uri, text: '0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n' });
    if ('problem' in answer) throw new Error(answer.problem);
    expect(planOf(answer.pipe).devices).toHaveLength(2);
  });

  it('says where a table is wrong', () => {
    expect(importFile({ uri, text: '0F0,0F0,0B0\n,1F0,1B0\n' })).toEqual({
      problem: expect.stringMatching(/^line 1, character 5: /),
    });
  });

  it('says what can be imported if a file is none of it', () => {
    expect(importFile({ uri, text: 'Dear Sir,\n' })).toEqual({
      problem: expect.stringMatching(/^It is none of the formats that can be imported: not a PyTorch schedule table/),
    });
  });
});
