import { rightWords as words } from '../words/explain-words.ts'

/** The answer of `/v1/acl/explain`. */
export interface Explanation {
  readonly AccessorID: string
  readonly Allowed: boolean
  readonly DecidedBy: 'rule' | 'default' | 'unrestricted' | 'not-enforced'
  readonly Rule: string
  readonly Level: string
  readonly Policy: string
}

export const resources = [
  'key',
  'service',
  'node',
  'session',
  'agent',
  'event',
  'query',
  'intention',
  'acl',
  'keyring',
  'operator',
] as const

/** The parts of a right that is written as on the command line: `service:write web`. */
export function questionOf(right: string): {
  readonly resource: string
  readonly access: string
  readonly name: string
} {
  const [, resource = '', access = '', name = ''] = /^(\w+):(\w+)(?: (.*))?$/s.exec(right) ?? []
  return { resource, access, name }
}

/** What the server would decide, and why. It contains no secret. */
export function decisionLine(explanation: Explanation): string {
  const { AccessorID, Allowed } = explanation
  return words.verdict(AccessorID === '' ? words.nobody : words.token(AccessorID), Allowed, whyOf(explanation))
}

function whyOf({ DecidedBy, Rule, Level, Policy }: Explanation): string {
  switch (DecidedBy) {
    case 'rule':
      return words.rule(Rule, Level, Policy)
    case 'default':
      return words.default(Level)
    case 'unrestricted':
      return words.unrestricted
    case 'not-enforced':
      return words.notEnforced
  }
}
