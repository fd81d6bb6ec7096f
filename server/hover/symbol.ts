/** Hovers over names. */
import { accuracyNote } from '../../engine/analyze/accuracyWords.ts';
import { inFlightWords } from '../../engine/analyze/inFlight.ts';
import { unitOf } from '../../engine/analyze/memoryWords.ts';
import { measuredNote, measuredWords } from '../../engine/analyze/figureWords.ts';
import { lengthWords } from '../../engine/analyze/lengthWords.ts';
import { tokenWords } from '../../engine/analyze/tokenWords.ts';
import type { FillReport } from '../../engine/values/fillReport.ts';
import type { LengthsReport, TokensReport } from '../../engine/values/report.ts';
import { fillStop, fillSummary } from '../../engine/fill/describe.ts';
import { functionId, functions } from '../../engine/language/functions.ts';
import { pageOfStandard } from '../../engine/language/referencePages.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import type { View } from '../view.ts';
import { clusterText, deviceText } from './device.ts';
import { jobText } from './job.ts';
import { layerText } from './layer.ts';
import { functionText } from './language.ts';
import { bytes, count, list } from '../../engine/basics/quantities.ts';
import { code, reference, sections, table } from './markdown.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { policyText } from './policy.ts';
import { scheduleText } from './schedule.ts';
import { stageText } from './stage.ts';
import { layerSizeText, modelSizeText } from './size.ts';
import { modelText } from './trainable.ts';
import { summary } from '../text/summary.ts';
import { printable } from '../text/printable.ts';
import { userMarkdown } from '../text/userText.ts';

export function hoverSymbol(
  view: View,
  symbol: SymbolInfo,
  offset: number,
  docs: string | undefined,
  searches: Searches,
): string {
  switch (symbol.kind) {
    case 'policy':
      return policyText(view, symbol.name, offset, docs, searches);
    case 'function': {
      const schema = functions.find((functionSchema) => functionId(functionSchema) === symbol.id);
      return schema === undefined ? '' : functionText(schema, docs);
    }
    case 'stage':
      return sections(head(symbol), docOf(symbol), stageText(view, symbol));
    case 'layer':
      return sections(head(symbol), docOf(symbol), layerText(view, symbol) || layerSizeText(symbol));
    case 'pipeline':
      return sections(head(symbol), docOf(symbol), pipelineText(view, symbol.name));
    case 'model':
      return sections(
        head(symbol),
        docOf(symbol),
        baseOf(symbol),
        modelText(view, symbol.name) || modelSizeText(view, symbol),
        standardReference(symbol, docs),
      );
    case 'cluster':
      return sections(head(symbol), docOf(symbol), clusterText(view, symbol, offset), standardReference(symbol, docs));
    case 'device':
      return sections(
        head(symbol),
        docOf(symbol),
        baseOf(symbol),
        deviceText(view, symbol),
        standardReference(symbol, docs),
      );
    case 'schedule':
      return sections(head(symbol), docOf(symbol), scheduleText(view, symbol));
    case 'job':
      return sections(head(symbol), docOf(symbol), jobText(view, symbol.name));
    default:
      return sections(head(symbol), docOf(symbol), baseOf(symbol), standardReference(symbol, docs));
  }
}

/** The page of what comes with the language. */
function standardReference({ kind, name, declaration }: SymbolInfo, docs: string | undefined): string | undefined {
  const [, file] = /^std:(hardware|clusters|models)$/.exec(declaration?.uri ?? '') ?? [];
  if (file === undefined) return undefined;
  return reference(docs, pageOfStandard(file === 'clusters' ? 'cluster' : kind === 'let' ? 'link' : kind, name));
}

const docOf = ({ doc }: SymbolInfo): string | undefined => (doc === undefined ? undefined : userMarkdown(doc));

/** The schedule that a name is taken over from, or replaced for. */
function baseOf({ inherits, replaces }: SymbolInfo): string | undefined {
  const base = inherits === undefined ? undefined : /^[^:]*:(.*)\/[^/]*$/.exec(inherits)?.[1];
  if (base === undefined) return undefined;
  return replaces === undefined
    ? `Taken over from \`${printable(base)}\`.`
    : `Replaces the name of \`${printable(base)}\`.`;
}

/** `param m = 8 (1 to 64)`; where it comes from, for what another file declares. */
function head({ kind, name, detail }: SymbolInfo): string {
  return code(printable(`${kind} ${name}${detail === undefined ? '' : ` — ${detail}`}`));
}

function pipelineText(view: View, name: string): string {
  const found = view.analysis.pipelines.find((pipeline) => pipeline.plan.name === name);
  if (found?.run === undefined) return '';
  const { report } = found.run;
  const shown = report.devices.slice(0, mostDevices);
  const more = report.devices.length - shown.length;
  return sections(
    summary(report),
    report.accuracy === undefined ? undefined : accuracyNote(report.accuracy),
    report.measured === undefined ? undefined : `${measuredWords(report.measured)} (${measuredNote(report.measured)})`,
    report.tokens === undefined ? undefined : tokensText(report.tokens),
    report.lengths === undefined ? undefined : lengthsText(report.lengths),
    table(
      shown.map((deviceReport) => [
        `${deviceReport.name}: ${list(deviceReport.stages)}`,
        `${bytes(deviceReport.peak)}, ${inFlightWords(deviceReport, unitOf(found.plan))}`,
      ]),
    ),
    more === 0 ? undefined : `And ${count(more, 'device', 'devices')} more.`,
    report.fill === undefined ? undefined : fillText(report.fill),
  );
}

function lengthsText(lengths: LengthsReport): string {
  const { range, mean, documents, longest } = lengthWords(lengths);
  return [`Samples of ${range}`, mean, ...(documents === undefined ? [] : [documents]), longest].join(' · ');
}

function tokensText(tokens: TokensReport): string {
  const { each, all, total } = tokenWords(tokens);
  return [each, all, ...(total === undefined ? [] : [total])].join(' · ');
}

const mostDevices = 8;

/** What devices do while they idle, and where that stops. */
function fillText(fill: FillReport): string {
  const stops = fill.devices.flatMap((device) => fillStop(device) ?? []);
  const shown = stops.slice(0, mostDevices).map((stop) => `- ${stop}`);
  return sections(`Fill: ${fillSummary(fill)}.`, shown.join('\n'));
}
