import { productName } from '../../model/names.ts'
import type { MetricNames } from './telemetry-config.ts'

/**
 * Groups whose names once began with the product's name twice. Reference: telemetry.md#doubled-names,
 * releases.md#rel-1.0-12.
 */
const doubled = /^(?:acl|autopilot|catalog|fsm|health|http|kvs|leader|prepared-query|rpc|session|session_ttl|txn)\./

/** The names under which a metric is reported. */
export function spellingsOf(name: string, names: MetricNames): readonly string[] {
  if (names === 'single' || !doubled.test(name)) return [name]
  const old = `${productName}.${name}`
  return names === 'both' ? [name, old] : [old]
}
