import type { Decision } from './authorizer.ts'

/** `refused by default policy deny`. */
export function decisionText(decision: Decision): string {
  return `${decision.allowed ? 'allowed' : 'refused'} by ${decidedBy(decision)}`
}

/** `service_prefix "web" read, p1`, or `default policy deny`. */
export function decidedBy({ by }: Decision): string {
  switch (by.kind) {
    case 'rule':
      return `${by.rule} ${by.level}, ${by.policy}`
    case 'default':
      return `default policy ${by.policy}`
    case 'unrestricted':
      return 'no restriction'
    case 'not-enforced':
      return 'nothing, for no rule is asked for it'
  }
}
