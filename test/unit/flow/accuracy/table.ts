/** Tables of the accuracy page. */
import { deviation, type Family, type Mode, predicted, type Run } from './published/run.ts';

/** `+5 %`, `−12 %`, `0 %`. */
export const percent = (share: number): string => {
  const rounded = Math.round(100 * share);
  return rounded === 0 ? '0 %' : `${rounded > 0 ? '+' : '−'}${Math.abs(rounded)} %`;
};

/** From the lowest to the highest: `−12 to +23 %`. */
export function range(shares: readonly number[]): string {
  const [least, most] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
  return least === most ? least : `${least.replace(' %', '')} to ${most}`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');

const modesOf = ({ kernels }: Family): readonly Mode[] => (kernels === true ? ['one', 'kernels'] : ['one']);
const modeNames: Readonly<Record<Mode, string>> = { one: 'default figures', kernels: 'tables of Calculon' };

/** The name of a run, or of several, that a figure was fitted to. */
const markedIf = (fitted: boolean, name: string): string => (fitted ? `${name} †` : name);

/** A row for each family and for its fitted and other runs: how far off they are, and on average without regard to sign. */
export function summaryOf(families: readonly Family[]): string {
  const rows = families.flatMap((family) =>
    modesOf(family).flatMap((mode) => {
      const isFitted = ({ fitted }: Run): boolean => fitted === true && mode === 'one';
      const title = family.kernels === true ? `${family.title}, ${modeNames[mode]}` : family.title;
      return [true, false].flatMap((fitted) => {
        const shares = family.runs.filter((run) => isFitted(run) === fitted).map((run) => deviation(run, mode));
        if (shares.length === 0) return [];
        return [[markedIf(fitted, title), `${shares.length}`, range(shares), `${Math.round(100 * meanOf(shares))} %`]];
      });
    }),
  );
  return table(['compared', 'figures', 'off by', 'mean'], rows);
}

/** Rows that nothing was fitted to, with default figures: how many, how far off on average, and the one that is off most, with its reason. */
export function overallOf(families: readonly Family[]): string {
  const line = (what: string, memory: boolean): string => {
    const rows = families
      .filter((family) => (family.memory === true) === memory)
      .flatMap(({ runs }) => runs.filter(({ fitted }) => fitted !== true))
      .map((run) => ({ run, share: deviation(run) }));
    const worst = rows.reduce((most, row) => (Math.abs(row.share) > Math.abs(most.share) ? row : most));
    const { name, setting, reason = 'Not explained.' } = worst.run;
    const mean = (100 * meanOf(rows.map(({ share }) => share))).toFixed(1);
    return `- **${what}:** ${rows.length} figures, ${mean} % off on average. Most: ${name}, ${setting}, ${percent(worst.share)}. ${reason}\n`;
  };
  return line('Time', false) + line('Memory', true);
}

/** Mean without regard to sign. */
export const meanOf = (shares: readonly number[]): number =>
  shares.reduce((sum, share) => sum + Math.abs(share), 0) / shares.length;

/** The rows of a family as they stand on the page. */
export const tableOf = (family: Family): string =>
  family.columns === undefined ? list(family) : grid(family, family.columns);

function list(family: Family): string {
  const { unit, digits, runs } = family;
  const modes = modesOf(family);
  const cell = (run: Run, mode: Mode): string =>
    `${predicted(run, mode).toFixed(digits)} (${percent(deviation(run, mode))})`;
  return table(
    ['run', `measured, ${unit}`, ...modes.map((mode) => (modes.length > 1 ? modeNames[mode] : 'simulated'))],
    runs.map((run) => [
      markedIf(run.fitted === true, `${run.name}: ${run.setting}`),
      run.measured.toFixed(digits),
      ...modes.map((mode) => cell(run, mode)),
    ]),
  );
}

/** A page has four columns at most: three of figures. */
const mostFigures = 3;

/** A row for each setting, in as many tables as the columns need; a cell has the measured figure, the simulated one, and the deviation. */
function grid({ unit, digits, runs }: Family, columns: readonly string[]): string {
  const settings = [...new Set(runs.map(({ setting }) => setting))];
  const cell = (run: Run | undefined): string =>
    run === undefined
      ? ''
      : `${run.measured.toFixed(digits)} → ${predicted(run).toFixed(digits)} (${percent(deviation(run))})`;
  const parts = Math.ceil(columns.length / mostFigures);
  const width = Math.ceil(columns.length / parts);
  return Array.from({ length: parts }, (_, part) => columns.slice(part * width, (part + 1) * width))
    .map((names) => {
      const figuresOf = (setting: string): readonly string[] =>
        names.map((name) => cell(runs.find((run) => run.setting === setting && run.name === name)));
      const rows = settings.map((setting) => [setting, ...figuresOf(setting)]);
      return table(
        [unit, ...names],
        rows.filter(([, ...figures]) => figures.some((figure) => figure !== '')),
      );
    })
    .join('\n');
}
