import type { Json } from '../../base/json.ts'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import { checkJson, nodeJson, nodeServiceJson } from '../catalog/model.ts'

/** `Address` beside the node, which has it too, is what the specification's own table shows. Reference: HTTP API 1.10, 16. */
export function healthEntryJson({ node, service, checks }: HealthServiceEntry, datacenter: string): Json {
  return {
    Node: nodeJson(node, datacenter),
    Address: node.address,
    Service: nodeServiceJson(service),
    Checks: checks.map(checkJson),
  }
}

/** Whether every check of the instance and of its node passes. */
export function allPassing({ checks }: HealthServiceEntry): boolean {
  return checks.every(({ status }) => status === 'passing')
}
