import type { PipelineReport } from '../report.ts';

/** `part` of `whole`; 0 of nothing, so that a pipeline that takes no time has shares all the same. */
export const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** Seconds that devices wait for transfers with nothing else to run, all devices together, and the mean share of the iteration. */
export function exposedCommunication(report: PipelineReport): { readonly seconds: number; readonly share: number } {
  const seconds = report.links.reduce((sum, link) => sum + link.exposed, 0);
  return { seconds, share: shareOf(seconds, report.devices.length * report.iteration) };
}
