import type { LoggedCommand } from '../../../src/agent/replication/command-codec.ts'
import { recordLeaves } from '../../../src/features/connect/commands.ts'
import { authorityTable, rootsTable, rotationsTable, signersTable } from '../../../src/features/connect/tables.ts'
import { allRoots, allRotations, authorityOf } from '../../../src/features/connect/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import type { Invariants } from '../invariants.ts'
import type { MeshState } from './mesh-laws.ts'

/** A command was carried out for the first time: what it did to the authority of the mesh, if anything. */
export function tellMesh(
  all: Invariants,
  node: string,
  { kind, body }: Pick<LoggedCommand, 'kind' | 'body'>,
  { index, outcome, tx }: { readonly index: number; readonly outcome: unknown; readonly tx: ReadTransaction },
): void {
  const { mesh } = all
  if (mesh === undefined) return
  if (kind === recordLeaves.kind && outcome !== null) {
    const { rootId } = body as { readonly rootId: string }
    if (mesh.recorded(rootId)) all.triggered('leaf recorded', node)
  }
  if (!isChanged(tx, index)) return
  for (const event of mesh.changed(meshStateOf(tx))) all.triggered(event, node)
}

/** Another state took the place of this one. */
export function tellMeshReplaced({ mesh }: Invariants, tx: ReadTransaction): void {
  mesh?.replaced(meshStateOf(tx))
}

function isChanged(tx: ReadTransaction, index: number): boolean {
  return (
    tx.lastChange(rootsTable) === index ||
    tx.lastChange(rotationsTable) === index ||
    tx.lastChange(authorityTable) === index ||
    tx.lastChange(signersTable) === index
  )
}

function meshStateOf(tx: ReadTransaction): MeshState {
  const configuration = authorityOf(tx)
  const rotations = [...allRotations(tx)]
  const keys = [...tx.all(signersTable)].map(({ privateKeyPem }) => privateKeyPem)
  const tokens = [configuration, ...rotations].flatMap((each) => each?.options['Token'] ?? [])
  return {
    roots: [...allRoots(tx)],
    rotations,
    // The token of an external provider lets its holder sign: it is as secret as a key.
    signingKeys: [...keys, ...tokens.filter((token) => typeof token === 'string')],
    configuration,
  }
}
