import type { PipelineReport } from '../../../engine/report.ts';
import { exposedCommunication, shareOf } from '../../../engine/analyze/shares.ts';
import { trafficByDevice } from '../../../engine/analyze/traffic.ts';
import { amount, bytes, count, share, time } from '../../../engine/quantities.ts';
import type { PipelinePlan } from '../../../engine/plan.ts';
import { css } from '../scene/colour.ts';
import { element, setShare, setText } from '../../controls/dom.ts';
import { worstDevice } from '../../picture/memoryLevel.ts';
import { secondsByKind } from '../../picture/rangeFigures.ts';
import { smallShare } from './smallShare.ts';
import type { Theme } from '../scene/theme.ts';
import { stageOf } from '../../picture/blocks.ts';
import { paintKinds } from '../../picture/columns.ts';
import { criticalPathIsOnly, criticalPathWords } from '../../picture/criticalPath.ts';
import type { Picture } from '../../picture/picture.ts';

/** Figures of the whole iteration, just as the report has them. */
export function statistics() {
  const figure = (label: string, key: string) => {
    const note = element('span', { class: 'note' });
    const value = element('strong', { 'data-figure': key });
    const unit = element('span', { class: 'dim' });
    const bar = element('div', { class: 'bar', 'aria-hidden': 'true' });
    const name = element('span', {}, label);
    const whole = element(
      'div',
      { class: 'figure' },
      element('div', { class: 'label' }, name, note),
      element('div', { class: 'value' }, value, ' ', unit),
      bar,
    );
    return { whole, name, note, value, unit, bar };
  };
  const iteration = figure('Iteration', 'iteration');
  const bubble = figure('Bubble', 'bubble');
  // Only where layers are derived, so that their FLOPs are known.
  const flops = figure('MFU', 'mfu');
  const memory = figure('Peak memory', 'peak');
  const exposed = figure('Exposed communication', 'exposed');
  const critical = figure('Critical path', 'critical');
  // Of asynchronous schedules, instead of the critical path: the path of consecutive iterations says little.
  const staleness = figure('Staleness', 'staleness');
  const cells = [iteration, bubble, flops, memory, exposed, critical, staleness];
  const fills = cells.map((cell) => {
    const fill = element('i');
    cell.bar.append(fill);
    return fill;
  });
  const strip = element(
    'section',
    { class: 'statistics', 'aria-label': 'Figures of the iteration' },
    ...[iteration, bubble, memory, exposed, critical].map((cell) => cell.whole),
  );

  function update(plan: PipelinePlan, picture: Picture, theme: Theme): void {
    const { report } = picture;
    const worst = worstDevice(report);
    const device = report.devices[worst];
    setText(iteration.value, time(report.iteration, 4));
    const { asynchronous } = report;
    setText(iteration.name, asynchronous === undefined ? 'Iteration' : 'Period');
    setText(
      iteration.note,
      asynchronous === undefined
        ? count(report.operations, 'operation', 'operations')
        : `${asynchronous.steady ? 'steady,' : 'mean of'} ${count(asynchronous.iterations, 'iteration', 'iterations')}`,
    );
    setText(bubble.value, smallShare(report.bubble.makespan));
    const last = asynchronous === undefined ? critical : staleness;
    if (strip.lastChild !== last.whole) strip.lastChild?.replaceWith(last.whole);
    if (asynchronous !== undefined) {
      const most = Math.max(0, ...report.stages.map((stage) => stage.staleness));
      const versions = Math.max(0, ...report.stages.map((stage) => stage.versions));
      setText(staleness.value, String(most));
      setText(staleness.unit, most === 1 ? 'update' : 'updates');
      setText(staleness.note, `${asynchronous.weights}, ${count(versions, 'version', 'versions')}`);
    }
    setText(bubble.unit, report.fill === undefined ? '' : `${share(report.fill.recovered)} filled`);
    setText(bubble.note, `best possible ${share(report.bubble.bound)}`);
    const { model_flops: model } = report;
    if (model === undefined) flops.whole.remove();
    else if (flops.whole.parentNode !== strip) bubble.whole.after(flops.whole);
    strip.classList.toggle('six', model !== undefined);
    if (model !== undefined) {
      setText(flops.value, share(model.utilisation));
      setText(flops.unit, 'of the peak rate');
      setText(flops.note, `${amount(model.rate)}FLOP/s per device`);
    }
    setText(memory.value, device === undefined ? '0 B' : bytes(device.peak));
    setText(memory.unit, device === undefined ? '' : `on ${plan.devices[worst].name}`);
    setText(memory.note, device === undefined ? '' : `limit ${bytes(device.capacity)}`);
    memory.whole.classList.toggle('over', device !== undefined && device.peak > device.capacity);
    const waited = exposedCommunication(report);
    setText(exposed.value, smallShare(waited.share));
    setText(exposed.note, time(waited.seconds));
    const collectives = exposedCollectives(report);
    exposed.unit.title = 'Exposed collectives of tensor, context, expert and data ranks';
    setText(exposed.unit, collectives > 1e-9 ? `+ ${smallShare(collectives)} collectives` : '');
    const onPath = new Set(Array.from(picture.critical, (block) => deviceIndex(picture, block))).size;
    setText(critical.value, picture.critical.length.toLocaleString('en-US'));
    setText(
      critical.unit,
      `${picture.critical.length === 1 ? 'block' : 'blocks'} · ${count(onPath, 'device', 'devices')}`,
    );
    const only = criticalPathIsOnly(picture);
    setText(critical.note, only === undefined ? '' : only ? 'the only one' : 'one of several');
    critical.note.title = criticalPathWords(picture);
    const full = device === undefined ? 0 : device.peak / device.capacity;
    [1, report.bubble.makespan, model?.utilisation ?? 0, full, waited.share, 1].forEach((part, index) =>
      setShare(fills[index], part),
    );
    iteration.bar.classList.add('stacked');
    stack(iteration.bar, picture, theme);
  }
  return { element: strip, update };
}

/** Share of the iteration that exposed collectives of tensor, context, expert and data ranks take: a mean over devices. */
function exposedCollectives(report: PipelineReport): number {
  const seconds = trafficByDevice(report)
    .flatMap(({ devices }) => devices)
    .reduce((sum, traffic) => sum + traffic.exposed, 0);
  return shareOf(seconds, report.devices.length * report.iteration);
}

const deviceIndex = (picture: Picture, block: number): number => picture.placement[stageOf(picture, block)];

/** How the busy time divides collectives kinds of work. */
function stack(bar: HTMLElement, picture: Picture, theme: Theme): void {
  const seconds = secondsByKind(picture);
  const whole = picture.columns.makespan * Math.max(1, picture.columns.rows);
  const parts = paintKinds.flatMap((_, kind) => {
    if (!(seconds[kind] > 0)) return [];
    const part = element('i');
    part.style.background = css(theme.kinds[kind]);
    setShare(part, seconds[kind] / whole);
    return [part];
  });
  bar.replaceChildren(...parts);
}
