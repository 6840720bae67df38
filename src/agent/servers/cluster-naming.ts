import type { Result } from '../../base/result.ts'
import type { ServerContext } from '../../features/contract/server-context.ts'
import { namesFix } from '../../features/operator/commands.ts'
import { fixedNames } from '../../features/operator/views.ts'
import type { Failure } from '../../model/failure.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { FatalSignal } from '../boot/lifecycle.ts'

type NamedServer = Pick<ServerContext, 'naming' | 'read' | 'propose'>

/**
 * Fixes the naming of a new cluster, as the first act of a leader, before its duties write any name. Undefined: there
 * is nothing to wait for. A cluster called `svc` needs no record, because a cluster without a record is called that;
 * clusters of earlier builds have none.
 */
export function fixNames({ naming, read, propose }: NamedServer): Promise<Result<unknown, Failure>> | undefined {
  if (naming.name === svcNaming.name || fixedNames(read()) !== undefined) return undefined
  return propose(namesFix, { names: naming.name })
}

/** Why a server of this naming cannot serve this cluster; undefined: it can, or nothing is fixed yet. */
export function otherNames(naming: Naming, tx: ReadTransaction): string | undefined {
  const fixed = fixedNames(tx)
  if (fixed === undefined || fixed === naming.name) return undefined
  const both = `this cluster was formed with names = "${fixed}", and this server has names = "${naming.name}"`
  return `${both}: a cluster cannot change that; set names = "${fixed}", or form a new cluster and move the data there`
}

/**
 * Stops a server whose naming differs from its cluster's, because as leader it would write its own names beside the
 * others. The check runs on the state at the start, and whenever the record changes.
 */
export function guardNames(
  naming: Naming,
  store: { read(): ReadTransaction; watch: ServerContext['watch'] },
  fatal: FatalSignal,
): () => void {
  let watching: { close(): void } | undefined
  const look = (): void => {
    const problem = otherNames(naming, store.read())
    if (problem !== undefined) return fatal.raise({ kind: 'other-names', message: problem })
    // Once fixed, the naming stays: a state of another naming is never restored.
    if (fixedNames(store.read()) === undefined) watching = store.watch((tx) => void fixedNames(tx), look)
  }
  look()
  return () => watching?.close()
}
