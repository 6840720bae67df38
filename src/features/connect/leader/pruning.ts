import type { ReadTransaction } from '../../../store/types.ts'
import { pruneRoots } from '../commands.ts'
import type { MeshTimes } from '../limits.ts'
import type { AuthorityParts } from '../settings.ts'
import { allRoots, goesMs } from '../views.ts'
import { did, notReplicated, type Step } from './step.ts'

/** When the next root is removed, by the wall clock; undefined: none is to be removed. */
export function nextToGoMs(tx: ReadTransaction, times: MeshTimes): number | undefined {
  let next: number | undefined
  for (const root of allRoots(tx)) {
    if (root.active || root.of !== '') continue
    const atMs = goesMs(tx, root, times)
    next = Math.min(next ?? atMs, atMs)
  }
  return next
}

/** Removes every root of which all leaves have expired. Spec: CA-024. */
export async function pruneStep({ server, ...times }: AuthorityParts, tx: ReadTransaction): Promise<Step> {
  const { env } = server
  const { skewMs, leafTtlMinMs } = times
  const nowMs = env.clock.wallMs()
  const rootIds = [...allRoots(tx)].filter((root) => !root.active && root.of === '' && goesMs(tx, root, times) <= nowMs)
  const ids = rootIds.map(({ id }) => id)
  const gone = await server.propose(pruneRoots, { rootIds: ids, nowMs, skewMs, leafTtlMinMs })
  if (!gone.ok) return notReplicated(gone.error)
  for (const root of ids) env.log.write('info', 'connect', 'an old root is gone: its last leaf has expired', { root })
  return did
}
