/** `message_overhead`: a device is busy for each message that it sends or receives, in addition to the operation that makes or needs it. */
import type { EdgePlan, LengthStage, PipelinePlan } from '../values/plan.ts';

/** By stage: messages of one microbatch that its device sends and receives. */
export interface MessageCounts {
  readonly sent: { readonly forward: Int32Array; readonly backward: Int32Array };
  readonly received: { readonly forward: Int32Array; readonly backward: Int32Array };
}

/** Each edge between two devices carries one message there, and one back. */
export function messageCounts(
  edges: readonly Pick<EdgePlan, 'from' | 'to' | 'forwardOnly'>[],
  placement: readonly number[],
): MessageCounts {
  const none = (): Int32Array => new Int32Array(placement.length);
  const counts = {
    sent: { forward: none(), backward: none() },
    received: { forward: none(), backward: none() },
  };
  for (const { from, to, forwardOnly } of edges) {
    if (placement[from] === placement[to]) continue;
    counts.sent.forward[from] += 1;
    counts.received.forward[to] += 1;
    if (forwardOnly === true) continue;
    counts.sent.backward[to] += 1;
    counts.received.backward[from] += 1;
  }
  return counts;
}

/** Stages with these seconds for each of their messages. W sends and receives nothing. */
export const withMessages = <Stage extends LengthStage>(
  stages: readonly Stage[],
  { sent, received }: MessageCounts,
  seconds: number,
): readonly Stage[] =>
  stages.map((stage, at) => ({
    ...stage,
    forward: stage.forward + seconds * (sent.forward[at] + received.forward[at]),
    backwardInput: stage.backwardInput + seconds * (sent.backward[at] + received.backward[at]),
  }));

/** The plan as if messages kept no device busy. */
export function withoutOverhead(plan: PipelinePlan): PipelinePlan {
  const { messageOverhead, ...rest } = plan;
  if (messageOverhead === undefined) return plan;
  const counts = messageCounts(plan.edges, plan.placement);
  const { lengths } = plan;
  return {
    ...rest,
    stages: withMessages(plan.stages, counts, -messageOverhead),
    ...(lengths === undefined
      ? {}
      : {
          lengths: {
            ...lengths,
            kinds: lengths.kinds.map((kind) => ({
              ...kind,
              stages: withMessages(kind.stages, counts, -messageOverhead),
            })),
          },
        }),
  };
}
