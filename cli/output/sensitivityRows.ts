import type { SensitivityReport, SensitivityRow } from '../../engine/report.ts';
import { share, time } from '../../engine/quantities.ts';
import type { Colours } from '../colours.ts';
import { section } from './section.ts';

/** The effect of times on the iteration, and its slowdown. */
export const sensitivityText = (report: SensitivityReport, colours: Colours): string =>
  [section('Sensitivity', sensitivityRows(report), colours), section('Slowdown', slowdownRows(report), colours)].join(
    '\n',
  );

/** Cells of the longest bar on either side. */
const barCells = 16;

/** What has most effect first, as a table with bars: a tornado. Rows without effect are left out. */
function sensitivityRows({ change, stages, devices, links }: SensitivityReport): string[][] {
  // A device with one stage has the row of the stage.
  const rows = [...stages, ...(devices.length === stages.length ? [] : devices), ...links]
    .filter(({ slower, faster }) => effect({ slower, faster }) > 0)
    .sort((a, b) => effect(b) - effect(a));
  const most = rows.reduce((all, row) => Math.max(all, row.slower, row.faster), 0);
  const bar = (seconds: number) => '█'.repeat(Math.round((barCells * Math.max(0, seconds)) / most));
  return rows.length === 0
    ? []
    : [
        ['', `${share(change)} faster`, '', '', `${share(change)} slower`],
        ...rows.map(({ name, slower, faster }) => [
          name,
          signed(-faster),
          bar(faster).padStart(barCells),
          bar(slower).padEnd(barCells),
          signed(slower),
        ]),
      ];
}

/** How much the iteration is longer than one of equal operations, and why. */
function slowdownRows({ slowdown: { ideal, slowdown, kinds, devices, last_stage } }: SensitivityReport): string[][] {
  const factor = (value: number) => value.toFixed(3);
  const worst = devices.reduce((most, device) => (device.slowdown > most.slowdown ? device : most), devices[0]);
  return [
    ['S', factor(slowdown), `over ${time(ideal)}, with equal stages and equal transfers`],
    ['S_t', kinds.map((kind) => `${kind.name} ${factor(kind.slowdown)}`).join(', '), ''],
    ['S_w', `${worst.name} ${factor(worst.slowdown)}`, 'the device that slows the iteration most'],
    ...(last_stage === undefined
      ? []
      : [['M_S', share(last_stage), 'of the slowdown goes with an average last stage']]),
  ];
}

const effect = ({ slower, faster }: Pick<SensitivityRow, 'slower' | 'faster'>): number => {
  const most = Math.max(slower, faster);
  // Less than a nanosecond is rounding.
  return most < 1e-9 ? 0 : most;
};

const signed = (seconds: number): string =>
  Math.abs(seconds) < 1e-9 ? '0' : `${seconds < 0 ? '−' : '+'}${time(Math.abs(seconds))}`;
