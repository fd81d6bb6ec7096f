/** Schedules that a file declares itself: their parameters, names and tests in the editor. */
import { describe, expect, it } from 'vitest';
import type { CompletionItem, CompletionList, Hover, SignatureHelp, WorkspaceEdit } from 'vscode-languageserver';
import { ask, invoked, serverWith, shownBy } from '../../support/asked.ts';
import { applyEdits, editsIn, main } from '../../support/server.ts';

const body = `
  /// Forwards before the first backward.
  param warm = 3 in 1..64
  let most = min(warm, microbatches)
  let part(d, j) = F[j], B[j + d]
  row(d) = F[0..<most], each(j in 0..<microbatches, part(d, j))`;
const schedule = `/// By hand.\nschedule mine {${body}\n}\n`;
const pipeline = 'pipeline train { schedule = mine(warm = 5) }\n';

const labels = async (source: string): Promise<readonly string[]> =>
  ((await ask<CompletionList | null>(source, 'textDocument/completion', invoked))?.items ?? []).map(
    ({ label }: CompletionItem) => label,
  );

describe('completion', () => {
  it('of arguments of a schedule', async () => {
    expect(await labels(`${schedule}pipeline train { schedule = mine($0) }`)).toContain('warm');
    expect(await labels(`${schedule}pipeline train { schedule = mine(warm = 1, $0) }`)).not.toContain('warm');
  });
  it('of names of the schedule and its loops', async () => {
    const inRow = await labels(schedule.replace('part(d, j))', 'F[$0])'));
    expect(inRow).toEqual(
      expect.arrayContaining(['j', 'd', 'most', 'part', 'warm', 'stages', 'devices', 'microbatches']),
    );
    expect(await labels(schedule.replace('F[0..<most]', 'F[0..<$0]'))).not.toContain('j');
  });
  it('of operations, functions and numbers where either may be', async () => {
    const found = await labels(schedule.replace('row(d) = F[0..<most],', 'row(d) = $0'));
    expect(found).toEqual(expect.arrayContaining(['F', 'B', 'each', 'take', 'drop', 'zip', 'if', 'mod', 'part']));
  });
  it('of conditions, ranges and steps', async () => {
    expect(await labels(schedule.replace('let most', 'require $0\n  let most'))).toEqual(
      expect.arrayContaining(['warm', 'devices', 'mod']),
    );
    expect(await labels(schedule.replace('warm = 3 in 1..64', 'warm = 3 $0'))).toEqual(
      expect.arrayContaining(['in', 'step']),
    );
    expect(await labels(schedule.replace('warm = 3 in 1..64', 'warm = 3 in $0'))).toContain('devices');
    expect(await labels('schedule mine { $0 }')).toEqual(expect.arrayContaining(['param', 'let', 'require', 'row']));
  });
  it('of what a rule knows while it runs, in its conditions and names', async () => {
    const greedy = 'schedule mine { order = greedy(prefer = [B, F])  let room(s) = $0  allow(F, s) = room(s) > 0 }';
    expect(await labels(greedy)).toEqual(expect.arrayContaining(['held', 'next', 'each', 'min', 'F', 's']));
    expect(await labels(greedy.replace('$0', 'pending($0)'))).toEqual(expect.arrayContaining(['F', 'B']));
    expect(await labels('schedule mine { row(d) = $0 }')).not.toContain('held');
  });
  it('of the row that is taken over', async () => {
    expect(await labels('schedule mine { from = 1f1b  row(d) = $0 }')).toContain('base');
    expect(await labels('schedule mine { row(d) = $0 }')).not.toContain('base');
  });
  it('of what a test may ask for', async () => {
    expect(await labels(`${schedule}expect $0`)).toContain('mine');
    expect(await labels(`${schedule}expect mine { $0 }`)).toEqual(
      expect.arrayContaining(['over', 'valid', 'order', 'in_flight', 'bubble', 'peak_memory', 'staleness', 'versions']),
    );
    expect(await labels(`${schedule}expect mine { over($0) }`)).toEqual(['devices', 'microbatches', 'warm']);
    expect(await labels(`${schedule}expect mine { over(devices = 2, $0) }`)).toEqual(['microbatches', 'warm']);
    expect(await labels(`${schedule}expect mine { order == $0 }`)).toContain('zb_h1');
    expect(await labels(`${schedule}expect mine { in_flight <= $0 }`)).toEqual(
      expect.arrayContaining(['devices', 'warm']),
    );
  });
});

describe('signature help', () => {
  const help = async (source: string) => {
    const found = await ask<SignatureHelp | null>(source, 'textDocument/signatureHelp');
    return [found?.signatures[0]?.label, found?.signatures[0]?.parameters?.[found.activeParameter ?? 0]?.label];
  };
  it('of a schedule', async () => {
    expect(await help(`${schedule}pipeline train { schedule = mine(warm = $0) }`)).toEqual([
      'mine(warm = 3 (1 to 64))',
      'warm = 3 (1 to 64)',
    ]);
  });
  it('of a let', async () => {
    expect(await help(schedule.replace('part(d, j))', 'part(d, $0))'))).toEqual(['part(d, j)', 'j']);
  });
  it('of functions of operations', async () => {
    expect(await help('schedule mine { row(d) = take($0')).toEqual(['take(n, operations)', 'n']);
  });
});

describe('hover', () => {
  const hover = async (source: string): Promise<string> =>
    shownBy(await ask<Hover | null>(source, 'textDocument/hover'));
  it('of a schedule: its parameters and what its tests found', async () => {
    const row =
      'row(d) = F[0..<stages-d], zip(B[0..<microbatches-stages+d], F[stages-d..<microbatches]), B[microbatches-stages+d..<microbatches]';
    const text = `schedule mine { ${row} }\nexpect $0mine { over(devices = 1..6, microbatches = 1..14)  valid }`;
    const shown = await hover(text);
    expect(shown).toContain('Tested on 84 shapes: 69 pass, 15 fail.');
    expect(shown).toContain('Fails with p = 2, m = 1; p = 3, m = 1; ');
    expect(shown).toContain('`require microbatches >= devices`');
    expect(await hover(`${schedule}${pipeline.replace('= mine', '= $0mine')}`)).toMatch(
      /By hand\.[^]*warm = 3[^]*Forwards before the first backward/,
    );
  });
  it('of names', async () => {
    expect(await hover(`${schedule}${pipeline.replace('(warm', '($0warm')}`)).toMatch(
      /param warm — 3 \(1 to 64\)[^]*Forwards before/,
    );
    expect(await hover(schedule.replace('F[0..<most]', 'F[0..<$0most]'))).toContain('let most — a number');
    expect(await hover(schedule.replace('microbatches, part(d', 'microbatches, $0part(d'))).toContain(
      'let part — (d, j), operations',
    );
    expect(await hover(schedule.replace('each(j', 'each($0j'))).toContain('Takes each number of the range');
    expect(await hover(`${schedule}expect mine { $0peak_memory(device = 0) < 4 }`)).toContain(
      'in activations of one stage',
    );
    const greedy =
      'schedule mine { order = greedy(prefer = [B, F])  let room(s) = 4 - $0held(s)  allow(F, s) = room(s) > 0 }';
    expect(await hover(greedy)).toContain('Microbatches in flight at a stage');
    expect(await hover(greedy.replace('$0', '').replace('= room', '= $0room'))).toContain('a number while a rule runs');
    expect(await hover('schedule mine { from = 1f1b  row(d) = $0base(d), F[0] }')).toContain(
      'The row that the schedule taken over has for device d',
    );
    expect(await hover(`${schedule}expect mine { $0staleness == 0 }`)).toContain('Updates between the weights');
    expect(await hover(schedule.replace('param warm', '$0param warm'))).toContain('A number that a pipeline may give');
    expect(await hover(`${schedule}expect mine { $0valid }`)).toContain('each operation once');
  });
});

describe('rename', () => {
  const renamed = async (source: string, newName: string): Promise<string> =>
    serverWith(source, async ({ texts, ask: asked }) => {
      const edit = await asked<WorkspaceEdit | null>('textDocument/rename', { newName });
      return applyEdits(texts.get(main) ?? '', editsIn(edit ?? {}, main));
    });
  const plain = `${schedule}${pipeline}expect mine { over(warm = 3..4)  in_flight <= warm }\n`;
  it('of a parameter, wherever it is used', async () => {
    const after = await renamed(plain.replace('param warm', 'param $0warm'), 'ahead');
    expect(after).toBe(plain.replaceAll('warm', 'ahead').replace('Forwards', 'Forwards'));
  });
  it('of a let, of its parameters and of the name of a loop', async () => {
    expect(await renamed(plain.replace('let part', 'let $0part'), 'both')).toBe(plain.replaceAll('part(', 'both('));
    expect(await renamed(plain.replace('part(d, j) =', 'part($0d, j) ='), 'e')).toBe(
      plain.replace('part(d, j) = F[j], B[j + d]', 'part(e, j) = F[j], B[j + e]'),
    );
    expect(await renamed(plain.replace('each(j', 'each($0j'), 'k')).toBe(
      plain.replace('each(j in 0..<microbatches, part(d, j))', 'each(k in 0..<microbatches, part(d, k))'),
    );
  });
});

describe('a schedule that takes over another one', () => {
  const taker = (entries: string) => `${schedule}schedule taker { from = mine  ${entries} }\n`;
  const hover = async (source: string) => shownBy(await ask<Hover | null>(source, 'textDocument/hover', invoked));

  it('hovers say what it takes over and what it changes', async () => {
    const text = await hover(
      taker('let most = 2  row(devices - 1) = F[0]').replace('schedule taker', 'schedule ta$0ker'),
    );
    expect(text).toContain('from mine, by rows');
    expect(text).toContain('Takes over `mine`. It changes or adds `let most` and `row(devices - 1)`.');
    expect(await hover(taker('row(0) = F[0..<mo$0st]'))).toContain('Taken over from `mine`.');
    expect(await hover(taker('let mo$0st = 2'))).toContain('Replaces the name of `mine`.');
    expect(await hover('schedule taker { from = zb_h1  row(0) = F[0..<wa$0rm(0)] }')).toContain(
      'Taken over from `zb_h1`.',
    );
  });
  it('completion offers inherited names, schedules after from, and the parameters of their texts', async () => {
    expect(await labels(taker('row(0) = F[0..<$0]'))).toEqual(expect.arrayContaining(['most', 'warm', 'part']));
    expect(await labels(taker('').replace('from = mine', 'from = $0'))).toEqual(
      expect.arrayContaining(['mine', 'zb_h1']),
    );
    expect(await labels(taker('').replace('from = mine', 'from = mine($0)'))).toContain('warm');
    const offered = await labels('schedule a { from = interleaved_1f1b($0) }');
    expect(offered).toEqual(expect.arrayContaining(['chunks', 'group']));
    expect(offered).not.toContain('recompute');
    expect(await labels('schedule a { fr$0 }')).toContain('from');
    const help = await ask<SignatureHelp | null>(
      'schedule a { from = dapple($0) }',
      'textDocument/signatureHelp',
      invoked,
    );
    expect(help?.signatures[0]?.label).toBe('dapple(in_flight = microbatches)');
    expect(await labels(`${taker('')}pipeline train { schedule = taker($0) }`)).toContain('warm');
  });
  it('renames a name in the base, its uses in the taker, and a name that replaces it', async () => {
    await serverWith(taker('let mo$0st = 2  row(0) = F[0..<most]'), async ({ texts, ask }) => {
      const edit = await ask<WorkspaceEdit>('textDocument/rename', { newName: 'few' });
      expect(applyEdits(texts.get(main) ?? '', editsIn(edit, main))).toBe(
        taker('let most = 2  row(0) = F[0..<most]').replaceAll('most', 'few'),
      );
    });
  });
});
