import type { Check, NodeOverview } from '../api/catalog-shapes.ts'

/** A service that has instances on a node, and the instances of it elsewhere. */
export interface Drained {
  readonly service: string
  /** Healthy instances on other nodes. */
  readonly left: number
}

export const nodeMaintenance = '_node_maintenance'
export const serviceMaintenance = '_service_maintenance:'

/** What answers by DNS lose when a node is drained, by the names of its services. */
export function drainedBy(node: NodeOverview, nodes: readonly NodeOverview[]): readonly Drained[] {
  const names = [...new Set((node.Services ?? []).map(({ Service }) => Service))].toSorted()
  const others = nodes.filter(({ Node }) => Node !== node.Node)
  return names.map((service) => ({
    service,
    left: others.reduce((sum, other) => sum + healthyOn(other, service), 0),
  }))
}

/** Instances without a critical check, of their own or of their node: those that DNS returns. */
function healthyOn({ Services, Checks }: NodeOverview, service: string): number {
  const critical = (Checks ?? []).filter(({ Status }) => Status === 'critical')
  if (critical.some(({ ServiceID }) => ServiceID === '')) return 0
  const ids = new Set(critical.map(({ ServiceID }) => ServiceID))
  return (Services ?? []).filter(({ Service, ID }) => Service === service && !ids.has(ID)).length
}

export function isInMaintenance({ Checks }: Pick<NodeOverview, 'Checks'>): boolean {
  return (Checks ?? []).some(({ CheckID }) => CheckID === nodeMaintenance)
}

/** A check of maintenance has no output: the operator's reason is in its notes. */
export function outputOf({ CheckID, Output, Notes }: Check): string {
  const isMaintenance = CheckID === nodeMaintenance || CheckID.startsWith(serviceMaintenance)
  return isMaintenance && Output === '' ? Notes : Output
}
