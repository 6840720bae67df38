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
 * The first act of a leader, before its duties write any name: in a new cluster it fixes what the cluster is called.
 * Undefined where there is nothing to wait for. A cluster called `svc` needs no record: it is what one without it is
 * called, so that clusters of earlier builds have it.
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
 * Ends a server that has another naming than its cluster: a leader of it would write its names beside the others. It
 * looks at the state of the start, and whenever the record changes.
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
    // What is fixed stays so: a state of another naming is not restored.
    if (fixedNames(store.read()) === undefined) watching = store.watch((tx) => void fixedNames(tx), look)
  }
  look()
  return () => watching?.close()
}
