import { z } from 'zod'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import { checkJson, checkShape, nodeJson, nodeServiceJson, nodeServiceShape, nodeShape } from '../catalog/model.ts'
import { listOf } from '../http/declared.ts'

/** Reference: catalog.md#health-service-entry, differences.md#health-entry-node. */
export const healthEntryShape = z
  .strictObject({ Node: nodeShape, Address: z.string(), Service: nodeServiceShape, Checks: listOf(checkShape) })
  .meta({ id: 'HealthEntry' })

/** `Address` beside the node is the address of the instance: its own, or that of its node. Spec: HLT-003. */
export function healthEntryJson(
  { node, service, checks }: HealthServiceEntry,
  datacenter: string,
): z.infer<typeof healthEntryShape> {
  return {
    Node: nodeJson(node, datacenter),
    Address: service.address === '' ? node.address : service.address,
    Service: nodeServiceJson(service),
    Checks: checks.map(checkJson),
  }
}

/** Whether every check of the instance and of its node is passing. */
export function allPassing({ checks }: HealthServiceEntry): boolean {
  return checks.every(({ status }) => status === 'passing')
}
