import type { HealthServiceEntry } from '../model/catalog.ts'

/** Whether an instance is offered: no check of it or its node is critical, and with `onlyPassing` none but passing. */
export function isOffered({ checks }: HealthServiceEntry, onlyPassing: boolean): boolean {
  return checks.every(({ status }) => (onlyPassing ? status === 'passing' : status !== 'critical'))
}

/** How much of the traffic an instance is to get. Reference: dns.md#fact-60. */
export function weightOf({ service, checks }: HealthServiceEntry): number {
  const warns = checks.some(({ status }) => status === 'warning')
  const weight = warns ? service.weights.warning : service.weights.passing
  return weight > 0 ? Math.min(weight, 65_535) : 1
}
