import type { ScenarioRun } from '../scenario/run.ts'
import { type NodeState, nodeState } from './node-state.ts'

/** The state of every node of a run at one virtual time. */
export interface Moment {
  readonly atUs: number
  /** The failures up to that time. */
  readonly failed: readonly string[]
  readonly nodes: readonly NodeState[]
}

export interface Seen {
  readonly moments: readonly Moment[]
  /** When the run was over, if it ended before the last of the times. */
  readonly endedUs?: number
}

/**
 * Runs to each of the ascending times, and looks at every node between two events, after everything of that time has
 * happened. Without times, it looks where the run fails or ends.
 */
export async function seenAt(
  start: (looks: { readonly timesUs: readonly number[]; take(run: ScenarioRun, atUs: number): void }) => ScenarioRun,
  timesUs: readonly number[],
): Promise<Seen> {
  const moments: Moment[] = []
  const take = (run: ScenarioRun, atUs: number): void => {
    moments.push(momentOf(run, atUs))
  }
  const run = start({ timesUs, take })
  const { virtualUs, failures } = await run.run()
  if (timesUs.length === 0) return { moments: [momentOf(run, failures[0]?.atUs ?? virtualUs)] }
  return moments.length === timesUs.length ? { moments } : { moments, endedUs: virtualUs }
}

function momentOf(run: ScenarioRun, atUs: number): Moment {
  return {
    atUs,
    failed: run.failuresSoFar().map(({ place, message }) => `${place}: ${message}`),
    nodes: run.cluster.nodeNames.map((node) => nodeState(run, node)),
  }
}
