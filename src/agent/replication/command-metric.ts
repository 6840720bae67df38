/** Commands whose metric does not follow from the name of their feature. */
const named = new Map([
  ['catalog.register', 'fsm.register'],
  ['catalog.register-all', 'fsm.register'],
  ['catalog.deregister', 'fsm.deregister'],
  ['coordinate.batch', 'fsm.coordinate.batch-update'],
  ['kv.reap-tombstones', 'fsm.tombstone'],
])

const ofFeature = new Map([
  ['kv', 'kvs'],
  ['query', 'prepared-query'],
  ['connect', 'ca'],
])

/**
 * The name of the metric for the duration of a replicated command: `fsm.kvs`. Reference:
 * telemetry.md#metric-fsm-register, telemetry.md#metric-fsm-kvs, telemetry.md#metric-fsm-ca.
 */
export function commandMetric(kind: string): string {
  const known = named.get(kind)
  if (known !== undefined) return known
  const [feature = '', command = ''] = kind.split('.')
  const made = `fsm.${ofFeature.get(feature) ?? feature}`
  const part = feature === 'acl' ? /^(policy|token)-/.exec(command)?.[1] : undefined
  return part === undefined ? made : `${made}.${part}`
}
