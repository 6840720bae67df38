import { recordLeaves } from '../../../src/features/connect/commands.ts'
import { authorityTable, rootsTable, rotationsTable, signersTable } from '../../../src/features/connect/tables.ts'
import { allRoots, allRotations, authorityOf } from '../../../src/features/connect/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import type { MeshState } from './mesh-facts.ts'
import { type MeshLaws, meshLaws } from './mesh-laws.ts'

/** Reads from the replicated state how commands changed the certificate authority of the mesh. */
class MeshStates {
  readonly #mesh: MeshLaws | undefined
  readonly #triggered: CheckedRun['triggered']

  constructor({ of, triggered }: CheckedRun) {
    this.#mesh = of(meshLaws)
    this.#triggered = triggered
  }

  tookEffect({ node, command: { kind, body }, index, outcome, tx }: Facts['command took effect']): void {
    if (this.#mesh === undefined) return
    if (kind === recordLeaves.kind && outcome !== null) {
      const { rootId } = body as { readonly rootId: string }
      if (this.#mesh.recorded(rootId)) this.#triggered('leaf recorded', node)
    }
    if (!isChanged(tx, index)) return
    for (const event of this.#mesh.changed(meshStateOf(tx))) this.#triggered(event, node)
  }

  replaced(tx: ReadTransaction): void {
    this.#mesh?.replaced(meshStateOf(tx))
  }
}

export const meshStates = checker({
  codes: {},
  make: (run) => new MeshStates(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, { tx }) => it.replaced(tx),
  },
})

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
    // The token for an external provider lets its holder sign, so it is as secret as a key.
    signingKeys: [...keys, ...tokens.filter((token) => typeof token === 'string')],
    configuration,
  }
}
