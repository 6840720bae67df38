import { productName } from '../../model/names.ts'
import type { MetricNames } from './telemetry-config.ts'

/**
 * Names of these groups began twice with the product's name. Reference: telemetry.md#doubled-names,
 * releases.md#rel-1.0-12.
 */
const doubled = /^(?:acl|autopilot|catalog|fsm|health|http|kvs|leader|prepared-query|rpc|session|session_ttl|txn)\./

/** Under which names a metric is told. */
export function spellingsOf(name: string, names: MetricNames): readonly string[] {
  if (names === 'single' || !doubled.test(name)) return [name]
  const old = `${productName}.${name}`
  return names === 'both' ? [name, old] : [old]
}
