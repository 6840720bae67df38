import { loadAllCommands } from '../../../src/cli/load-all.ts'
import { type PlayedRun, performAct } from './acts.ts'
import { type Place, type PlayedAct, placeOf } from './played-schema.ts'

type Moved = Pick<PlayedRun, 'simulation' | 'passUntil'>

/**
 * Lets the run come to a place. A run that is there already does not move: two acts at one place happen with nothing
 * between them. With another program, which has other events, the time alone counts.
 */
export async function reachPlace({ simulation, passUntil }: Moved, place: Place): Promise<void> {
  const { atUs, after } = place
  const spanMs = Math.max(0, atUs - simulation.nowUs) / 1000
  if (after === undefined) {
    if (spanMs > 0 || (simulation.nextAtUs ?? Number.POSITIVE_INFINITY) <= atUs) await passUntil(() => false, spanMs)
    return
  }
  const isThere = (): boolean => simulation.turns >= after && simulation.nowUs >= atUs
  if (!isThere()) await passUntil(isThere, spanMs)
}

/** The place where a run stands between two turns. */
export function placeNow({ simulation }: Pick<PlayedRun, 'simulation'>): Place {
  const { nowUs, nextAtUs, turns } = simulation
  return nextAtUs !== undefined && nextAtUs <= nowUs ? { atUs: nowUs, after: turns } : { atUs: nowUs }
}

interface Played {
  readonly acts: readonly PlayedAct[]
  readonly ends: { readonly at: number; readonly after?: number | undefined }
  readonly trace?: string | undefined
}

/** Does everything that a page says was done, up to the place where it was saved. */
export async function playAgain(run: PlayedRun, { acts, ends, trace }: Played): Promise<void> {
  const moved = { simulation: run.simulation, passUntil: run.passUntil.bind(run) }
  if (acts.some(({ svc }) => svc !== undefined)) await loadAllCommands()
  for (const [at, act] of acts.entries()) {
    await reachPlace(moved, placeOf(act))
    if (run.hasFailed()) return
    const done = performAct(run, act, at, () => undefined)
    if (done.ok) run.tell('fault', done.value)
    else return run.fail(['played', 'acts', at], done.error)
  }
  await reachPlace(moved, placeOf(ends))
  if (trace === undefined || run.hasFailed()) return
  const isSame = run.simulation.finish().hash === trace
  run.tell(
    'note',
    isSame ? 'the trace is that of the session' : 'the trace differs from that of the session: another program ran it',
  )
}
