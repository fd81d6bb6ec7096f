/** What holds for the commands on any text; each breach is one sentence. */
import { call } from '../cli/harness.ts';
import { analyse } from '../../support/analyse.ts';

const calls: readonly (readonly string[])[] = [
  ['check', 'a.pipe'],
  ['check', '--format', 'json', 'a.pipe'],
  ['simulate', 'a.pipe'],
  ['simulate', '--format', 'json', 'a.pipe'],
  ['compare', 'a.pipe'],
  ['compare', 'a.pipe', '--schedules', '1f1b, zb_h1, chimera, pipedream', '--format', 'csv'],
  ['format', 'a.pipe'],
];
const ofOne: readonly (readonly string[])[] = [
  ['export', 'a.pipe', '--to', 'torch-csv', '--comms'],
  ['export', 'a.pipe', '--to', 'torch-csv'],
  ['export', 'a.pipe', '--to', 'torch-script'],
];

/** All that commands do wrong with `text`: they answer or refuse in words, and never with a figure that is none. */
export async function terminalBreaches(text: string): Promise<readonly string[]> {
  const files = { 'a.pipe': text };
  const out: string[] = [];
  const analysis = analyse(text);
  const names = analysis.pipelines.map(({ plan }) => plan.name);
  const single = names.slice(0, 1).flatMap((name) => ofOne.map((one) => [...one, '--pipeline', name]));
  for (const args of [...calls, ...single]) {
    const answer = await call(args, { files });
    const name = args.join(' ');
    if (answer.status !== 0 && answer.out + answer.err === '') out.push(`${name} fails without a word`);
    if (/NaN|undefined|Infinity|\[object/.test(answer.out + answer.err)) out.push(`${name} prints what is no figure`);
    if (args.includes('json') && /: null/.test(answer.out.replaceAll('"next": null', '')))
      out.push(`${name} prints null`);
    const wrong = analysis.findings.some(({ severity }) => severity === 'error');
    if ((args[0] === 'check' || args[0] === 'simulate') && answer.status !== (wrong ? 1 : 0))
      if (names.length > 0 || args[0] === 'check') out.push(`${name} ends with ${answer.status}, errors: ${wrong}`);
  }
  for (const { plan, run } of analysis.pipelines) {
    if (run === undefined) continue;
    const answer = await call(['simulate', 'a.pipe', '--pipeline', plan.name, '--format', 'csv'], { files });
    out.push(...tableBreaches(answer.out, run.program.order.length));
  }
  return out;
}

/** Every operation has one row, and none of a device starts before the one above it. */
function tableBreaches(csv: string, operations: number): readonly string[] {
  const rows = csv.trimEnd().split('\r\n').slice(1);
  const out: string[] = [];
  if (rows.length !== operations) out.push(`${rows.length} rows for ${operations} operations`);
  const seen = new Set<string>();
  let device = '';
  let start = 0;
  for (const row of rows) {
    const cells = row.split(',');
    const key = cells.slice(0, 4).join(',');
    if (seen.has(key)) out.push(`${key} has two rows`);
    seen.add(key);
    if (cells.length !== 6) out.push(`row ${row}`);
    const at = Number(cells[4]);
    // A start is an end less a duration: it is as exact as the end.
    if (cells[0] === device && at < start - 1e-9 * Math.max(start, Number(cells[5])))
      out.push(`${key} starts before the operation above it`);
    if (Number(cells[5]) < at) out.push(`${key} ends before it starts`);
    device = cells[0];
    start = at;
  }
  return out;
}
