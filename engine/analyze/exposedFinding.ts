import type { Run } from '../schedule/evaluation.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { hidingWarmup } from '../schedule/hidingWarmup.ts';
import { outcomeOf, underPolicy } from './alternatives.ts';
import type { LinkReport } from '../values/report.ts';
import { exposedParts, shareOf } from './shares.ts';
import { communicationWords, type GroupKind } from './traffic.ts';

/**
 * `comm/exposed` where devices wait longer than the threshold for transfers between stages, or for what their ranks exchange: the
 * parts that count, the largest first. Seconds and shares are means over the devices.
 */
export function exposedFinding(
  plan: PipelinePlan,
  run: Run,
  options: EngineOptions,
  /** Kinds of communication about which another finding says more. */
  known: readonly GroupKind[] = [],
): PlanFinding[] {
  const { report } = run;
  const ofAll = (seconds: number) => shareOf(seconds, report.devices.length * report.iteration);
  const ofEach = (seconds: number) => seconds / report.devices.length;
  const [{ seconds: links }, ...exchanged] = exposedParts(report);
  const groups = exchanged.flatMap(({ kind, seconds }) =>
    kind === 'links' || known.includes(kind) ? [] : [{ kind, seconds }],
  );
  const { exposed: most } = options.thresholds;
  const inGroups = groups.reduce((sum, { seconds }) => sum + seconds, 0);
  if (ofAll(links) <= most && ofAll(inGroups) <= most) return [];
  const parts = [{ kind: 'links' as const, seconds: links }, ...groups]
    .sort((a, b) => b.seconds - a.seconds)
    .filter(({ seconds }, index) => index === 0 || ofAll(seconds) >= 0.0005);
  const worst = report.links.reduce((top, link, index) => (link.exposed > report.links[top].exposed ? index : top), 0);
  const [{ kind }] = parts;
  const warmup =
    ofAll(links) > most && plan.schedule.kind === 'policy' && plan.schedule.name === '1f1b'
      ? hidingWarmup(plan)
      : undefined;
  const better = warmup === undefined ? undefined : outcomeOf(underPolicy(plan, '1f1b', { warmup }));
  const help = kind === 'links' ? '' : helps(plan, kind);
  return [
    planFinding(
      'comm/exposed',
      kind === 'links'
        ? paths.route(plan.name, plan.routes[worst].from, plan.routes[worst].to)
        : paths.pipeline(plan.name),
      {
        exposed: ofEach(links + inGroups),
        share: ofAll(links + inGroups),
        parts: parts.map((part) => ({
          what: `${communicationWords[part.kind]}${part.kind === 'links' ? ` (most on ${linkName(report.links[worst])})` : ''}`,
          exposed: ofEach(part.seconds),
          share: ofAll(part.seconds),
        })),
        help,
      },
      {
        hint: {
          kind: 'tune',
          pipeline: plan.name,
          ...(better !== undefined && better.iteration < 0.99 * report.iteration ? { warmup } : {}),
        },
      },
    ),
  ];
}

export const linkName = ({ from, to }: Pick<LinkReport, 'from' | 'to'>) => `${from} → ${to}`;

/** What ranks of a kind split between them. */
const heldBy = { tensor: 'each layer', context: 'each sample', expert: 'the experts' } as const;

/** Kernels of tensor ranks reach the devices of one node. Context ranks send during attention anyway. */
function overlapWords(kind: keyof typeof heldBy, leavesNode: boolean): string {
  if (kind === 'expert') return ' If your engine computes while it sends tokens to experts, set `overlap(expert)`.';
  return kind === 'tensor' && !leavesNode ? ' If your kernels overlap communication, set `overlap(tensor)`.' : '';
}

function helps(plan: PipelinePlan, kind: GroupKind): string {
  if (kind === 'tensor' || kind === 'context' || kind === 'expert') {
    const span = plan.spans?.[kind];
    const cause =
      span === undefined
        ? ''
        : `The cause: ${span.ranks} ${kind} ranks are in ${span.nodes} nodes, and links between nodes are slower than those within one. `;
    return `${cause}Fewer ${kind} ranks send less, but each device then holds more of ${heldBy[kind]}.${overlapWords(kind, span !== undefined)}`;
  }
  if (kind === 'weights')
    return 'Weights that stay whole (`zero1`, or `reshard = false`) move once per iteration, and so do gradients with `gradient_sync = last`, but both take more memory.';
  if (plan.exchange !== undefined)
    return 'Faster links, or a `collective` that uses them better, send it sooner; more microbatches spread it over more work.';
  const exchanges = plan.step.flatMap(({ overlap = [] }) => overlap);
  // A bucket of one layer cannot be smaller.
  if (exchanges.some(({ buckets }) => buckets.some(({ joins }) => joins === true)))
    return 'Smaller buckets begin earlier; more microbatches spread it over more work.';
  return plan.iterations > 1 || exchanges.length > 0
    ? 'More microbatches spread it over more work.'
    : '`sync = overlap` begins it during the last backwards.';
}
