/**
 * Tables that `nsys stats -r nvtx_pushpop_trace,cuda_kern_exec_trace -f csv` writes about one rank: ranges that PyTorch's `emit_nvtx`
 * names, and kernels with the calls that launched them. Other lines may come before each header.
 */
import { minus } from '../../basics/quantities.ts';
import { cellsOf } from '../timesCsv/cells.ts';
import { asciiText } from '../kineto/bytes.ts';
import { Collector } from '../kineto/collect.ts';
import { rankInName } from '../kineto/rankInName.ts';
import type { TraceFault } from '../kineto/read.ts';
import type { RunReader } from '../recording/runPart.ts';

const ranges = ['Start (ns)', 'End (ns)', 'Name', 'TID'] as const;
const kernels = ['API Start (ns)', 'Kernel Start (ns)', 'Kernel Dur (ns)', 'Kernel Name', 'TID'] as const;

export const isNsight = (head: string): boolean =>
  /^"?(Start|API Start) \(ns\)"?,/m.test(head) && (head.includes('PID') || head.includes('Kernel Name'));

/** Most bytes of a line. */
const longest = 1 << 20;

export function nsightReader(file: string): RunReader {
  const collector = new Collector();
  let columns: ReadonlyMap<string, number> | undefined;
  let rest = '';
  let line = 0;
  let correlation = 0;

  function take(text: string): TraceFault | undefined {
    const cells = cellsOf({ text, start: 0 }).map((cell) => cell.text);
    if (cells.includes('TID') && (cells.includes('Name') || cells.includes('Kernel Name'))) {
      columns = new Map(cells.map((name, at) => [name, at]));
      return undefined;
    }
    if (columns === undefined || cells.length < columns.size) {
      // A line between two tables.
      if (cells.length < 2) columns = undefined;
      return undefined;
    }
    const cell = (name: string): string => cells[columns?.get(name) ?? -1] ?? '';
    const has = (names: readonly string[]): boolean => names.every((name) => columns?.has(name) === true);
    const micros = (name: string): number => Number(cell(name)) / 1e3;
    const place = { line, character: 0 };
    const thread = { pid: 0, tid: Number(cell('TID')) };
    const told = (fault: ReturnType<Collector['event']>): TraceFault | undefined =>
      fault === undefined ? undefined : { ...fault, file };
    if (has(kernels)) {
      correlation += 1;
      const args = { correlation };
      collector.event(
        { ph: 'X', cat: 'cuda_runtime', name: 'launch', ts: micros('API Start (ns)'), dur: 0, ...thread, args },
        place,
      );
      const [ts, dur] = [micros('Kernel Start (ns)'), micros('Kernel Dur (ns)')];
      if (!(dur >= 0)) {
        const given = minus(cell('Kernel Dur (ns)'));
        return { file, ...place, message: `"Kernel Dur (ns)" is ${given}: a number of at least 0 is expected.` };
      }
      return told(
        collector.event({ ph: 'X', cat: 'kernel', name: cell('Kernel Name'), ts, dur, ...thread, args }, place),
      );
    }
    if (!has(ranges)) return undefined;
    // `:PP:2F0, seq = 3` of the default domain.
    const name = cell('Name')
      .replace(/^.*?:(?=PP:|ProfilerStep#|Optimizer\.)/, '')
      .replace(/, (seq|op_id) = .*$/, '');
    if (!collector.wants(name, 'user_annotation')) return undefined;
    const from = micros('Start (ns)');
    return told(
      collector.event(
        { ph: 'X', cat: 'user_annotation', name, ts: from, dur: micros('End (ns)') - from, ...thread },
        place,
      ),
    );
  }

  function lines(text: string, ended: boolean): TraceFault | undefined {
    const parts = (rest + text).split('\n');
    rest = ended ? '' : (parts.pop() ?? '');
    for (const part of parts) {
      const fault = take(part.replace(/\r$/, ''));
      if (fault !== undefined) return fault;
      line += 1;
    }
    return rest.length > longest
      ? { file, line, character: 0, message: `This line has more than ${longest / 2 ** 20} MiB.` }
      : undefined;
  }

  return {
    push: (chunk) => lines(asciiText(chunk, 0, chunk.length), false),
    end() {
      const fault = lines('', true);
      if (fault !== undefined) return { fault };
      const top = { file, line: 0, character: 0 };
      const rank = rankInName(file);
      if (rank === undefined)
        return { fault: { ...top, message: 'The tables do not say their rank. Name the file like "rank3.csv".' } };
      if (collector.computing.length === 0)
        return {
          fault: {
            ...top,
            message:
              'No range is called ":PP:0F0": run torch.autograd.profiler.emit_nvtx, and ask for the report nvtx_pushpop_trace.',
          },
        };
      const trace = collector.trace();
      if (trace.device === undefined)
        return {
          fault: {
            ...top,
            message:
              'There are ranges, and no kernels with their launches: ask for the report cuda_kern_exec_trace too. cuda_gpu_trace has no launches.',
          },
        };
      return { traces: [{ file, rank, ...trace }] };
    },
  };
}
