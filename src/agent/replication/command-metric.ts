import type { Labels } from '../../env/observe.ts'
import { labelsOf } from '../../model/metric-labels.ts'

/** The metric under which the time of a replicated command is reported. */
export interface CommandMetric {
  readonly name: string
  readonly labels: Labels | undefined
}

/** Commands whose metric has no labels. Reference: telemetry.md#metric-fsm-register. */
const unlabelled = new Map([
  ['catalog.register', 'fsm.register'],
  ['catalog.register-all', 'fsm.register'],
  ['catalog.register-mesh', 'fsm.register'],
  ['catalog.register-all-mesh', 'fsm.register'],
  ['catalog.deregister', 'fsm.deregister'],
  ['coordinate.batch', 'fsm.coordinate.batch-update'],
  ['txn.apply', 'fsm.txn'],
  ['autopilot.initialize', 'fsm.autopilot'],
  ['autopilot.set', 'fsm.autopilot'],
])

/** Commands that the field has under another name. Reference: telemetry.md#metric-fsm-kvs. */
const renamed = new Map<string, readonly [name: string, op: string]>([
  ['kv.put', ['fsm.kvs', 'set']],
  ['kv.put-cas', ['fsm.kvs', 'cas']],
  ['kv.reap-tombstones', ['fsm.tombstone', 'reap']],
  ['acl.policy-set', ['fsm.acl.policy', 'upsert']],
  ['acl.policy-delete', ['fsm.acl.policy', 'delete']],
  ['acl.replicate-policies', ['fsm.acl.policy', 'replicate']],
  ['acl.token-create', ['fsm.acl.token', 'upsert']],
  ['acl.token-update', ['fsm.acl.token', 'upsert']],
  ['acl.token-delete', ['fsm.acl.token', 'delete']],
  ['acl.replicate-tokens', ['fsm.acl.token', 'replicate']],
  ['acl.migrate', ['fsm.acl.token', 'upsert']],
  ['acl.bootstrap', ['fsm.acl.token', 'bootstrap']],
  ['acl.set-later-rules', ['fsm.acl', 'set']],
  ['acl.bootstrap-legacy', ['fsm.acl', 'bootstrap']],
])

const ofFeature = new Map([
  ['kv', 'kvs'],
  ['query', 'prepared-query'],
  ['connect', 'ca'],
])

/**
 * The metric of a command by its kind. Where the field has no such command, the label `op` is the rest of the kind.
 * Reference: telemetry.md#metric-fsm-kvs, telemetry.md#metric-fsm-ca.
 */
export function commandMetric(kind: string): CommandMetric {
  const whole = unlabelled.get(kind)
  if (whole !== undefined) return { name: whole, labels: undefined }
  const [feature = '', command = ''] = kind.split('.')
  const [name, op] = renamed.get(kind) ?? [`fsm.${ofFeature.get(feature) ?? feature}`, command]
  return { name, labels: labelsOf(['op', op]) }
}
