import { z } from 'zod'
import { releaseOf } from '../../model/release.ts'
import { onEvent, type StateHook } from '../../store/types.ts'
import { nodeRemoved } from '../catalog/model.ts'
import { nodeByName } from '../catalog/views.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { nameKey } from '../contract/names.ts'
import { coordinateRow, coordinatesTable } from '../discovery/nearness.ts'

/** Maximum number of coordinates in one command. Reference: configuration.md#coordinate-batches. */
export const batchMax = 128

const batchBody = z.strictObject({ updates: z.array(coordinateRow).max(batchMax).readonly() })

/** Present coordinates of several nodes. Nodes that are not in the catalog are skipped. */
export const coordinateBatch: CommandDefinition<z.infer<typeof batchBody>, null> = {
  kind: 'coordinate.batch',
  outcome: z.null(),
  since: releaseOf('coordinates'),
  // In the field, servers that do not know this command ignore it. Here no server may stop on it, although they do not
  // need it.
  waitsForAll: true,
  body: batchBody,
  apply: (tx, { updates }) => {
    for (const update of updates) {
      const node = nodeByName(tx, update.node)
      if (node !== undefined) tx.put(coordinatesTable, { ...update, node: node.node })
    }
    return null
  },
}

/** A removed node loses its coordinates. */
export const coordinateHooks: readonly StateHook[] = [
  onEvent(nodeRemoved, (tx, { node }) => {
    tx.delete(coordinatesTable, nameKey(node))
  }),
]
